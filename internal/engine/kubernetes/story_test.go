package kubernetes

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/eke-bo/eke/store/sqlite"
	"github.com/eke-bo/eke/study"
)

// trainer is what the image of docs/CLUSTER.md has in it.
const trainer = `import json, os, sys
with open(os.path.join(os.environ["EKE_DIR"], "model"), "w") as f:
    f.write("token " + os.environ.get("TOKEN", "none"))
print(sys.argv[1:], "token", os.environ.get("TOKEN", "none"))
print(json.dumps({"objective": float(os.environ["EKE_PARAM_LR"])}))
`

// story is a shell where the documents' commands run as they are printed.
type story struct {
	*testing.T
	dir string
	env []string
}

func (s *story) command(line string) *exec.Cmd {
	c := exec.Command("sh", "-c", line)
	c.Dir, c.Env = s.dir, s.env
	return c
}

func (s *story) run(line string) string {
	s.Helper()
	out, err := s.command(line).CombinedOutput()
	if err != nil {
		s.Fatalf("%s: %v\n%s", line, err, out)
	}
	return string(out)
}

// runs starts a line that does not end soon, lets a few trials be done, and interrupts it as a user would.
func (s *story) runs(line, name string, trials int) *study.Record {
	s.Helper()
	c := s.command("exec " + line)
	log, err := os.Create(filepath.Join(s.dir, "said"))
	if err != nil {
		s.Fatal(err)
	}
	defer log.Close()
	c.Stdout, c.Stderr = log, log
	if err := c.Start(); err != nil {
		s.Fatal(err)
	}
	over := make(chan error, 1)
	go func() { over <- c.Wait() }()
	said := func() string { raw, _ := os.ReadFile(log.Name()); return string(raw) }
	for begin := time.Now(); ; {
		select {
		case err := <-over:
			s.Fatalf("%s has ended: %v\n%s", line, err, said())
		case <-time.After(500 * time.Millisecond):
		}
		r, done := s.record(name), 0
		for _, t := range r.Trials {
			if t.State == study.Done {
				done++
			} else if t.State.Ended() {
				s.Fatalf("%+v\n%s", t, said())
			}
		}
		if done >= trials {
			break
		}
		if time.Since(begin) > 3*time.Minute {
			s.Fatalf("%d trials are done\n%s", done, said())
		}
	}
	for range 2 {
		_ = c.Process.Signal(os.Interrupt)
		time.Sleep(time.Second)
	}
	<-over
	return s.record(name)
}

func (s *story) record(name string) *study.Record {
	s.Helper()
	r := study.NewRecord(0, false)
	db, err := sqlite.Open(s.Context(), filepath.Join(s.dir, "eke.db"))
	if err != nil {
		return r
	}
	defer db.Close()
	header, events, err := db.Read(s.Context(), name, 0)
	if err != nil {
		return r // it is not there yet
	}
	r = study.NewRecord(header.Total, header.Measured)
	for _, e := range events {
		if err := r.Apply(e); err != nil {
			s.Fatal(err)
		}
	}
	return r
}

// The story of docs/CLUSTER.md runs as it is printed. Only what runs until the budget is spent is interrupted.
func TestRealStory(t *testing.T) {
	p := needPlane(t)
	if _, err := exec.LookPath("kubectl"); err != nil {
		t.Skip("there is no kubectl")
	}
	raw, err := os.ReadFile("../../../docs/CLUSTER.md")
	if err != nil {
		t.Fatal(err)
	}
	_, doc, _ := strings.Cut(string(raw), "\n## Kubernetes\n")
	blocks := func(kind string) (list []string) {
		for _, b := range regexp.MustCompile("(?s)```"+kind+"\n(.*?)```").FindAllStringSubmatch(doc, -1) {
			list = append(list, b[1])
		}
		return list
	}
	shell, yamls := blocks("sh"), blocks("yaml")
	if len(shell) != 4 || len(yamls) != 1 {
		t.Fatalf("there are %d and %d blocks", len(shell), len(yamls))
	}
	s := &story{T: t, dir: t.TempDir()}
	bin := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", filepath.Join(bin, "eke"), "../../../cmd/eke").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s.env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "KUBECONFIG="+filepath.Join(p.dir, "kubeconfig"), "HOME="+t.TempDir())
	deploy, err := filepath.Abs("../../../deploy")
	if err == nil {
		err = os.Symlink(deploy, filepath.Join(s.dir, "deploy"))
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, node := range p.folders() {
		image := filepath.Join(node, "images", "registry.example.org_train_1")
		if err := os.MkdirAll(image, 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, image, map[string]string{"train.py": trainer})
	}
	s.run("kubectl create namespace tuning")
	defer func() { _ = s.command("kubectl delete namespace tuning --wait=false").Run() }()

	for line := range strings.Lines(strings.ReplaceAll(shell[0], "\\\n", "")) {
		switch verb, _, _ := strings.Cut(line, " #"); strings.TrimSpace(verb) {
		case "eke run":
			s.checkCharges(s.runs("eke run", "my-study", 3), 4)
		case "eke status":
			if out := s.run(line); !strings.Contains(out, "my-study") || !strings.Contains(out, "core-hours") {
				t.Error(out)
			}
		case "eke plan":
			if out := s.run(line); !strings.Contains(out, "kind: Job") {
				t.Error(out)
			}
		default:
			s.run(line)
		}
	}

	// The study file, with GPUs and prices.
	write(t, s.dir, map[string]string{"study.yaml": yamls[0]})
	for _, trial := range s.runs("eke run", "pods", 6).Trials {
		if trial.State == study.Done && (trial.Charged <= 0 || trial.Estimated) {
			t.Errorf("%+v", trial)
		}
	}

	// The template, with a claim, a secret and a toleration.
	s.run(shell[1])
	volume := t.TempDir()
	write(t, s.dir, map[string]string{"volume.yaml": fmt.Sprintf(`
apiVersion: v1
kind: PersistentVolume
metadata: {name: training}
spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteMany], hostPath: {path: %s}, claimRef: {namespace: tuning, name: training}, storageClassName: ""}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: training, namespace: tuning}
spec: {accessModes: [ReadWriteMany], storageClassName: "", resources: {requests: {storage: 1Gi}}}
`, volume), "study.yaml": strings.Replace(strings.Replace(yamls[0], "name: pods", "name: files", 1), "engine:\n", "engine:\n  template: pod.yaml\n", 1)})
	s.run("kubectl apply -f volume.yaml && kubectl create secret generic registry-token -n tuning --from-literal=TOKEN=hush")
	s.runs("eke run", "files", 2)
	models, _ := filepath.Glob(filepath.Join(volume, "trials", "*", "model"))
	if len(models) < 2 {
		t.Errorf("the claim has %v", models)
	}
	for _, m := range models {
		if raw, _ := os.ReadFile(m); string(raw) != "token hush" {
			t.Errorf("%s: %s", m, raw)
		}
	}

	// A server in the cluster. Its images are not here, but the API server takes the objects.
	out := ""
	for line := range strings.Lines(shell[2] + shell[3]) {
		switch apply, _, _ := strings.Cut(line, " #"); {
		case !strings.HasPrefix(apply, "kubectl apply "):
		case strings.Contains(shell[2], line):
			out += s.run(apply)
		default:
			out += s.run(apply + " --dry-run=server")
		}
	}
	if strings.Count(out, "created")+strings.Count(out, "unchanged") < 9 {
		t.Error(out)
	}
}

// checkCharges checks that trials were charged whole seconds of cores.
func (s *story) checkCharges(r *study.Record, cores float64) {
	s.Helper()
	for _, t := range r.Trials {
		if seconds := t.Charged * 3600 / cores; t.State == study.Done && (seconds < 1 || seconds > 60 || t.Estimated) {
			s.Errorf("%+v", t)
		}
	}
}
