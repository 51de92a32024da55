package kubernetes

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// What an agent keeps of a container is in a folder of its own: began, shim, pid, log, message, exit.

func (a *agent) file(p, c object, name string) string {
	return filepath.Join(a.home(p), text(c, "name"), name)
}

// time is that of a file of a container; zero if there is none.
func (a *agent) time(p, c object, name string) time.Time {
	info, err := os.Stat(a.file(p, c, name))
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

func (a *agent) begun(p, c object) bool { return !a.time(p, c, "began").IsZero() }

// exit is how a container ended; ok is false if nobody knows.
func (a *agent) exit(p, c object) (code int, ok bool) {
	raw, err := os.ReadFile(a.file(p, c, "exit"))
	if err == nil {
		code, err = strconv.Atoi(strings.TrimSpace(string(raw)))
	}
	return code, err == nil
}

func (a *agent) pid(p, c object, name string) int {
	raw, _ := os.ReadFile(a.file(p, c, name))
	pid, _ := strconv.Atoi(strings.TrimSpace(string(raw)))
	return pid
}

// ended reports whether nothing of a container runs. If whoever waits for its end was killed, it is lost.
func (a *agent) ended(p, c object) bool {
	if _, ok := a.exit(p, c); ok || !a.begun(p, c) {
		return ok
	}
	shim := a.pid(p, c, "shim")
	lost := shim > 0 && syscall.Kill(shim, 0) != nil || shim == 0 && time.Since(a.time(p, c, "began")) > 5*time.Second
	_, ok := a.exit(p, c)
	return lost || ok
}

// signal signals a container's processes. It is false if it began a moment ago, and has none yet.
func (a *agent) signal(p, c object, s syscall.Signal) bool {
	if !a.begun(p, c) || a.ended(p, c) {
		return true
	}
	pid := a.pid(p, c, "pid")
	return pid > 0 && syscall.Kill(-pid, s) == nil
}

func (a *agent) signalAll(p object, s syscall.Signal) bool {
	all := true
	for _, c := range slices.Concat(containersOf(p, "containers"), containersOf(p, "initContainers")) {
		all = a.signal(p, c, s) && all
	}
	return all
}

// shim runs a container's command in a session of its own, once, and notes its end, whether there is an agent or not.
const shim = `dir=$1; shift
mkdir "$dir/began" 2>/dev/null || exit 0
echo $$ >"$dir/shim.new" && mv "$dir/shim.new" "$dir/shim"
setsid "$@" >"$dir/log" 2>&1 </dev/null & pid=$!
echo $pid >"$dir/pid.new" && mv "$dir/pid.new" "$dir/pid"
wait $pid; code=$?
kill -9 -$pid 2>/dev/null
echo $code >"$dir/exit.new" && mv "$dir/exit.new" "$dir/exit"`

// start has a container's command run, unless it was started before.
func (a *agent) start(ctx context.Context, p, c object) {
	if a.begun(p, c) {
		return
	}
	dir := a.file(p, c, "")
	_ = os.MkdirAll(dir, 0o700)
	here, err := a.mounts(ctx, p, c)
	env := []string{"PATH=" + os.Getenv("PATH")}
	if err == nil {
		env, err = a.environment(ctx, p, c, here, env)
	}
	words := []string{}
	for _, kind := range []string{"command", "args"} {
		list, _ := at(c, kind).([]any)
		for _, w := range list {
			words = append(words, here.Replace(expand(w.(string), env)))
		}
	}
	cmd := exec.Command("sh", slices.Concat([]string{"-c", shim, "shim", dir}, words)...)
	cmd.Env = env
	if cmd.Dir = text(c, "workingDir"); cmd.Dir == "" {
		cmd.Dir = filepath.Join(a.dir, "images", regexp.MustCompile(`[^A-Za-z0-9.-]+`).ReplaceAllString(text(c, "image"), "_"))
		_ = os.MkdirAll(cmd.Dir, 0o700)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err == nil && len(words) == 0 {
		err = errors.New("no command specified")
	}
	if err == nil {
		_, err = exec.LookPath(words[0])
	}
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		for name, content := range map[string]string{"refused": err.Error(), "exit": "128"} {
			_ = os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600)
		}
		_ = os.Mkdir(filepath.Join(dir, "began"), 0o700)
		return
	}
	a.shims.Go(func() { _ = cmd.Wait() })
	for begin := time.Now(); !a.begun(p, c) && time.Since(begin) < 10*time.Second; {
		time.Sleep(2 * time.Millisecond)
	}
}

var dollars = regexp.MustCompile(`\$\$|\$\([^)]*\)`)

// expand does to the words of a command and to the values of variables what a kubelet does: $$ is $, and $(NAME) is the value of a variable that there is.
func expand(text string, env []string) string {
	return dollars.ReplaceAllStringFunc(text, func(found string) string {
		if found == "$$" {
			return "$"
		}
		for _, entry := range slices.Backward(env) {
			if name, value, _ := strings.Cut(entry, "="); "$("+name+")" == found {
				return value
			}
		}
		return found
	})
}

// field is what a fieldRef means.
func field(p object, path string) string {
	if name, key, ok := strings.Cut(strings.TrimSuffix(path, "']"), "['"); ok {
		return text(p, append(strings.Split(name, "."), key)...)
	}
	return text(p, strings.Split(path, ".")...)
}

// data is what a ConfigMap or a Secret holds.
func (a *agent) data(ctx context.Context, p object, kind, name string) (map[string]string, error) {
	var o struct{ Data map[string]string }
	err := a.c.do(ctx, request{method: "GET", path: "/api/v1/namespaces/" + text(p, "metadata", "namespace") + "/" + kind + "/" + name}, &o)
	for key, value := range o.Data {
		if raw, e := base64.StdEncoding.DecodeString(value); e == nil && kind == "secrets" {
			o.Data[key] = string(raw)
		}
	}
	return o.Data, err
}

func (a *agent) environment(ctx context.Context, p, c object, here *strings.Replacer, env []string) ([]string, error) {
	from, _ := at(c, "envFrom").([]any)
	for _, f := range from {
		for ref, kind := range map[string]string{"secretRef": "secrets", "configMapRef": "configmaps"} {
			if at(f, ref) == nil {
				continue
			}
			data, err := a.data(ctx, p, kind, text(f, ref, "name"))
			if err != nil {
				return nil, err
			}
			for name, value := range data {
				env = append(env, name+"="+value)
			}
		}
	}
	list, _ := at(c, "env").([]any)
	for _, v := range list {
		value := here.Replace(expand(text(v, "value"), env))
		if path := text(v, "valueFrom", "fieldRef", "fieldPath"); path != "" {
			value = field(p, path)
		}
		for ref, kind := range map[string]string{"secretKeyRef": "secrets", "configMapKeyRef": "configmaps"} {
			if at(v, "valueFrom", ref) != nil {
				data, err := a.data(ctx, p, kind, text(v, "valueFrom", ref, "name"))
				if err != nil {
					return nil, err
				}
				value = data[text(v, "valueFrom", ref, "key")]
			}
		}
		env = append(env, text(v, "name")+"="+value)
	}
	return env, nil
}

// mounts makes the volumes of a container, and says where each is on this machine.
func (a *agent) mounts(ctx context.Context, p, c object) (*strings.Replacer, error) {
	message := text(c, "terminationMessagePath")
	if message == "" {
		message = podResult
	}
	places := []string{message, a.file(p, c, "message")}
	mounts, _ := at(c, "volumeMounts").([]any)
	for _, m := range mounts {
		to, err := a.volume(ctx, p, text(m, "name"))
		if err != nil {
			return nil, err
		}
		to = filepath.Join(to, text(m, "subPath"))
		if err := os.MkdirAll(to, 0o700); err != nil {
			return nil, err
		}
		places = append(places, text(m, "mountPath"), to)
	}
	return strings.NewReplacer(places...), nil
}

func (a *agent) volume(ctx context.Context, p object, name string) (string, error) {
	dir := filepath.Join(a.home(p), "volumes", name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	volumes, _ := at(p, "spec", "volumes").([]any)
	files := map[string]string{}
	for _, v := range volumes {
		if text(v, "name") != name {
			continue
		}
		items, _ := at(v, "downwardAPI", "items").([]any)
		for _, item := range items {
			files[text(item, "path")] = field(p, text(item, "fieldRef", "fieldPath"))
		}
		for kind, key := range map[string]string{"configMap": "name", "secret": "secretName"} {
			if at(v, kind) == nil {
				continue
			}
			data, err := a.data(ctx, p, strings.ToLower(kind)+"s", text(v, kind, key))
			if err != nil {
				return "", err
			}
			files = data
		}
		if path := text(v, "hostPath", "path"); path != "" {
			return path, nil
		}
		if claim := text(v, "persistentVolumeClaim", "claimName"); claim != "" {
			var c, pv object
			if err := a.c.do(ctx, request{method: "GET", path: "/api/v1/namespaces/" + text(p, "metadata", "namespace") + "/persistentvolumeclaims/" + claim}, &c); err != nil {
				return "", err
			}
			err := a.c.do(ctx, request{method: "GET", path: "/api/v1/persistentvolumes/" + text(c, "spec", "volumeName")}, &pv)
			return text(pv, "spec", "hostPath", "path"), err
		}
	}
	for file, content := range files {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(content), 0o600); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// serveLogs is what a kubelet answers on its own port: /containerLogs/NAMESPACE/POD/CONTAINER.
func (a *agent) serveLogs(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	if len(parts) != 4 || parts[0] != "containerLogs" {
		http.NotFound(w, r)
		return
	}
	a.mu.Lock()
	var pod object
	for _, t := range a.pods {
		if p, _ := t.now(); text(p, "metadata", "namespace") == parts[1] && text(p, "metadata", "name") == parts[2] {
			pod = p
		}
	}
	a.mu.Unlock()
	a.serveLog(w, r, pod, parts[3])
}

func (a *agent) serveLog(w http.ResponseWriter, r *http.Request, pod object, name string) {
	c := object{"name": name}
	if pod == nil || !a.begun(pod, c) {
		http.Error(w, fmt.Sprintf("container %q in pod %q is waiting to start: ContainerCreating", name, text(pod, "metadata", "name")), http.StatusBadRequest)
		return
	}
	follow := r.URL.Query().Get("follow") == "true"
	file, err := os.Open(a.file(pod, c, "log"))
	if err != nil {
		if _, ok := a.exit(pod, c); !ok {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
		return
	}
	defer file.Close()
	w.Header().Set("Content-Type", "text/plain")
	for {
		over := a.ended(pod, c)
		_, _ = io.Copy(w, file)
		w.(http.Flusher).Flush()
		if !follow || over || r.Context().Err() != nil {
			return
		}
		pause(r.Context(), 20*time.Millisecond)
	}
}
