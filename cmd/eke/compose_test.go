package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
)

// composed is what the tests need of deploy/compose.yaml.
type composed struct {
	Services map[string]*struct {
		Image       string            `yaml:"image"`
		Entrypoint  []string          `yaml:"entrypoint"`
		Command     []string          `yaml:"command"`
		Environment map[string]string `yaml:"environment"`
		Volumes     []string          `yaml:"volumes"`
		Ports       []string          `yaml:"ports"`
		Profiles    []string          `yaml:"profiles"`
		DependsOn   any               `yaml:"depends_on"`
	} `yaml:"services"`
	Volumes map[string]any `yaml:"volumes"`
}

// variable is one of the settings in .env, perhaps with a default.
var variable = regexp.MustCompile(`\$\{(\w+)(?:(:[-?])([^}]*))?\}`)

// readCompose reads the file with some settings in place.
func readCompose(t *testing.T, env map[string]string) (c composed, text string) {
	t.Helper()
	raw, err := os.ReadFile("../../deploy/compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text = variable.ReplaceAllStringFunc(string(raw), func(found string) string {
		m := variable.FindStringSubmatch(found)
		switch {
		case env[m[1]] != "":
			return env[m[1]]
		case m[2] == ":-":
			return m[3]
		}
		t.Fatalf("%s is not set: %s", m[1], m[3])
		return ""
	})
	if err := yaml.UnmarshalWithOptions([]byte(text), &c, yaml.UseJSONUnmarshaler()); err != nil {
		t.Fatal(yaml.FormatError(err, false, true))
	}
	return c, string(raw)
}

// The services suit each other, the image and the program: every flag exists, every name is that of a service, every volume is there.
func TestComposeFits(t *testing.T) {
	c, raw := readCompose(t, map[string]string{"POSTGRES_PASSWORD": "hunter2", "EKE_TOKEN": "abc"})
	image, err := os.ReadFile("../../deploy/Containerfile")
	if err != nil {
		t.Fatal(err)
	}
	db, server, worker := c.Services["db"], c.Services["server"], c.Services["worker"]
	if db == nil || server == nil || worker == nil || len(c.Services) != 3 {
		t.Fatalf("the services are %v", c.Services)
	}
	for name, s := range c.Services {
		for _, v := range s.Volumes {
			volume, at, _ := strings.Cut(v, ":")
			if _, there := c.Volumes[volume]; !there {
				t.Errorf("%s has the volume %s, which is not listed", name, volume)
			}
			if s.Image == "eke" && !strings.Contains(string(image), "VOLUME "+at+"\n") {
				t.Errorf("%s keeps something in %s, which is no volume of the image", name, at)
			}
		}
		for other := range services(s.DependsOn) {
			if c.Services[other] == nil {
				t.Errorf("%s depends on %s, which is not there", name, other)
			}
		}
		if s.Image == "eke" {
			flagsExist(t, name, s.Command)
		}
	}
	// The image is that of scripts/container, whose program is found by its name.
	if script, err := os.ReadFile("../../scripts/container"); err != nil || !strings.Contains(string(script), `-t "${1:-eke}"`) || server.Image != "eke" || worker.Image != "eke" {
		t.Errorf("the images are %s and %s; %v", server.Image, worker.Image, err)
	}
	if !strings.Contains(string(image), `ENTRYPOINT ["/eke"]`) || len(server.Entrypoint) > 0 || !slices.Equal(worker.Entrypoint, []string{"eke"}) || !regexp.MustCompile(`(?m)^ENV PATH=\S*:/ `).Match(image) {
		t.Errorf("the server starts by %v, the worker by %v, the image by\n%s", server.Entrypoint, worker.Entrypoint, image)
	}
	if path, set := worker.Environment["PATH"]; set {
		t.Errorf("the PATH of a program's own image is replaced by %s", path)
	}
	// The server finds the database, and the worker the server.
	u, err := url.Parse(server.Environment["EKE_DB"])
	if err != nil {
		t.Fatal(err)
	}
	password, _ := u.User.Password()
	if got, want := []string{u.Scheme, u.Hostname(), u.User.Username(), password, u.Path}, []string{"postgres", "db", db.Environment["POSTGRES_USER"], db.Environment["POSTGRES_PASSWORD"], "/" + db.Environment["POSTGRES_DB"]}; !slices.Equal(got, want) {
		t.Errorf("EKE_DB says %q, the database is %q", got, want)
	}
	at, err := url.Parse(after(worker.Command, "--server"))
	if err != nil || at.Hostname() != "server" || after(server.Command, "--host") != "server" || !strings.HasSuffix(after(server.Command, "--listen"), ":"+at.Port()) {
		t.Errorf("the worker calls %v, the server is started by %v", at, server.Command)
	}
	if !strings.Contains(string(image), "EXPOSE "+at.Port()+"\n") || len(server.Ports) != 1 || server.Ports[0] != "127.0.0.1:8420:"+at.Port() || len(db.Ports) > 0 {
		t.Errorf("published are %v and %v", server.Ports, db.Ports)
	}
	if after(worker.Command, "--dir") != "/data/eke.worker" || worker.Environment["EKE_TOKEN"] != "abc" || !slices.Contains(worker.Command, "--insecure") || len(worker.Profiles) == 0 {
		t.Errorf("the worker is %+v", worker)
	}
	// Every setting is explained at the top, and no other is.
	head, _, _ := strings.Cut(raw, "\nname:")
	for _, m := range variable.FindAllStringSubmatch(raw, -1) {
		if !strings.Contains(head, "#\t"+m[1]+" ") {
			t.Errorf("%s is not explained", m[1])
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^#\t([A-Z_]+) `).FindAllStringSubmatch(head, -1) {
		if !strings.Contains(raw, "${"+m[1]) {
			t.Errorf("%s is explained, and not used", m[1])
		}
	}
	docs, err := os.ReadFile("../../docs/SERVICE.md")
	if err != nil || !strings.Contains(string(docs), "deploy/compose.yaml") {
		t.Error("docs/SERVICE.md does not say how to start it", err)
	}
}

// Every container that docs/SERVICE.md starts answers to the name by which it is reached, with files that it is given.
func TestContainerFits(t *testing.T) {
	raw, err := os.ReadFile("../../docs/SERVICE.md")
	if err != nil {
		t.Fatal(err)
	}
	_, doc, _ := strings.Cut(strings.ReplaceAll(string(raw), "\\\n", ""), "\n## In a container\n")
	doc, _, _ = strings.Cut(doc, "\n## ")
	started := 0
	for _, m := range regexp.MustCompile(`(?m)^podman run -d (.* --cap-drop=all) eke(.*)$`).FindAllStringSubmatch(doc, -1) {
		started++
		args := strings.Fields(m[2])
		if len(args) == 0 || args[0] != "serve" {
			t.Errorf("the container is started without a command, so it answers to no name: %s", m[0])
			continue
		}
		flagsExist(t, "the container", args)
		if after(args, "--host") != "eke.example.org" || after(args, "--listen") != "0.0.0.0:8420" {
			t.Errorf("the container is started by %q", args)
		}
		if encrypted := strings.Contains(m[1], ":/tls:ro"); encrypted != strings.HasPrefix(after(args, "--tls-cert"), "/tls/") || encrypted != strings.HasPrefix(after(args, "--tls-key"), "/tls/") || encrypted == slices.Contains(args, "--insecure") {
			t.Errorf("the container is given %s, and started by %q", m[1], args)
		}
	}
	if started != 2 {
		t.Errorf("%d containers are started:\n%s", started, doc)
	}
}

// services are those that a service depends on, as a list or as a mapping.
func services(of any) map[string]bool {
	names := map[string]bool{}
	switch list := of.(type) {
	case []any:
		for _, n := range list {
			names[fmt.Sprint(n)] = true
		}
	case map[string]any:
		for n := range list {
			names[n] = true
		}
	}
	return names
}

// flagsExist has the program itself read the arguments of a service.
func flagsExist(t *testing.T, name string, args []string) {
	t.Helper()
	cmd, rest, err := rootCommand(&app{in: strings.NewReader(""), out: io.Discard, err: io.Discard}).Find(args)
	if err == nil {
		err = cmd.ParseFlags(rest)
	}
	if err == nil {
		err = cmd.ValidateArgs(cmd.Flags().Args())
	}
	if err != nil || !strings.HasPrefix(cmd.CommandPath()+" ", "eke "+args[0]+" ") {
		t.Errorf("%s: eke %s: %v", name, strings.Join(args, " "), err)
	}
}

// after is the argument after a flag.
func after(args []string, flag string) string {
	if k := slices.Index(args, flag); k >= 0 && k+1 < len(args) {
		return args[k+1]
	}
	return ""
}

// composeStudy is small, and needs nothing but eke.
const composeStudy = `name: quickstart
objective: {name: loss, goal: minimize}
cost: {source: walltime}
budget: {total: 1h}
policy: {name: random}
stop: never
parameters:
  width: {type: int, min: 8, max: 12}
  rate: {type: float, min: 0.01, max: 0.1, log: true}
command: [eke, example, spirals, "--width={width}", "--rate={rate}", --epochs=10]
`

// The services work together: with a container engine as they are; without one, what they start is started on this machine, with the
// addresses of this machine in place of theirs.
func TestComposeWorks(t *testing.T) {
	if engine := composer(); engine != nil {
		inContainers(t, engine)
		return
	}
	dir := t.TempDir()
	c, _ := readCompose(t, map[string]string{"POSTGRES_PASSWORD": "hunter2", "EKE_TOKEN": "abc"})
	url := newDatabase(t, "postgres", dir).url
	start := func(env []string, args ...string) *exec.Cmd {
		cmd := exec.Command("eke", args...)
		cmd.Dir, cmd.Stderr = dir, os.Stderr
		cmd.Env = append(os.Environ(), env...)
		return cmd
	}
	store := "EKE_DB=" + url
	serverArgs := slices.Clone(c.Services["server"].Command)
	serverArgs[slices.Index(serverArgs, "0.0.0.0:8420")] = "127.0.0.1:0"
	if err := start([]string{store}, serverArgs...).Run(); err == nil {
		t.Fatal("the server starts without a token")
	}
	token := func(role string) string {
		secret, err := start([]string{store}, "token", "new", "--role", role).Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(secret))
	}
	admin, working := token("admin"), token("worker")
	server := start([]string{store}, serverArgs...)
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Process.Kill(); _ = server.Wait() }()
	page := ""
	for lines := bufio.NewScanner(out); page == "" && lines.Scan(); {
		if address, ok := strings.CutPrefix(lines.Text(), "listening on "); ok {
			page = "http://" + address + "/"
		}
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	if page == "" {
		t.Fatal("the server does not say where it is")
	}
	created(t, page, admin)
	workerArgs := slices.Clone(c.Services["worker"].Command)
	workerArgs[slices.Index(workerArgs, "http://server:8420")] = strings.TrimSuffix(page, "/")
	workerArgs[slices.Index(workerArgs, "/data/eke.worker")] = filepath.Join(dir, "eke.worker")
	worker := start([]string{"EKE_TOKEN=" + working}, workerArgs...)
	worker.Stdout = io.Discard
	if err := worker.Start(); err != nil {
		t.Fatal(err)
	}
	worked(t, page, admin)
	if err := worker.Process.Signal(syscall.SIGINT); err != nil { // as the file has it
		t.Error(err)
	}
	_ = worker.Wait()
}

// composer is the engine's command for compose files, if there is one that works.
func composer() []string {
	for _, c := range [][]string{{"docker", "compose"}, {"podman", "compose"}} {
		if exec.Command(c[0], "info").Run() == nil && exec.Command(c[0], append(c[1:], "version")...).Run() == nil {
			return c
		}
	}
	return nil
}

// inContainers builds the image, and starts and uses the services as docs/SERVICE.md says.
func inContainers(t *testing.T, engine []string) {
	if out, err := exec.Command("../../scripts/container").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	settings := filepath.Join(t.TempDir(), "env")
	write := func(lines ...string) {
		t.Helper()
		if err := os.WriteFile(settings, []byte(strings.Join(append(lines, "POSTGRES_PASSWORD=hunter2", "EKE_PUBLISH=127.0.0.1:18420", ""), "\n")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	compose := func(args ...string) string {
		t.Helper()
		cmd := exec.Command(engine[0], append(append(slices.Clone(engine[1:]), "-p", "eke-test", "--env-file", settings, "-f", "../../deploy/compose.yaml"), args...)...)
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	write()
	defer compose("--profile", "worker", "down", "--volumes", "--timeout", "5")
	admin := compose("run", "--rm", "-T", "server", "token", "new", "--role", "admin")
	working := compose("run", "--rm", "-T", "server", "token", "new", "--role", "worker")
	write("EKE_TOKEN=" + working)
	compose("up", "-d")
	const page = "http://127.0.0.1:18420/"
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(200 * time.Millisecond) {
		if resp, err := http.Get(page + "readyz"); err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				break
			}
		}
		if time.Now().After(end) {
			t.Fatal("the server is never ready:\n" + compose("logs"))
		}
	}
	created(t, page, admin)
	compose("--profile", "worker", "up", "-d")
	worked(t, page, admin)
}

// created creates the study.
func created(t *testing.T, page, token string) {
	t.Helper()
	var made struct{ Name string }
	if status := asked(t, http.MethodPost, page+"api/v1/studies", token, composeStudy, &made); status != http.StatusCreated || made.Name != "quickstart" {
		t.Fatalf("the study is not created: %d", status)
	}
}

// worked waits until the worker has told three results.
func worked(t *testing.T, page, token string) {
	t.Helper()
	var s struct{ Counts map[string]int }
	for end := time.Now().Add(5 * time.Minute); s.Counts["done"] < 3; time.Sleep(100 * time.Millisecond) {
		if asked(t, http.MethodGet, page+"api/v1/studies/quickstart", token, "", &s); time.Now().After(end) {
			t.Fatalf("the trials are %v", s.Counts)
		}
	}
	if s.Counts["failed"] > 0 {
		t.Errorf("the trials are %v", s.Counts)
	}
}

// asked sends a request and reads the answer.
func asked(t *testing.T, method, url, token, body string, into any) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/yaml")
	r.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode < 300 {
		err = json.Unmarshal(raw, into)
	}
	if err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	return resp.StatusCode
}
