package slurm

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/flock"
	"github.com/eke-bo/eke/study"
)

// on is what comes before a command that is to run on another login node: a machine of another name, which sees the same folders, and
// none of this one's processes.
func on(node string) []string {
	return []string{"unshare", "--uts", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c", "hostname " + node + ` && exec "$@"`, "sh"}
}

// A controller ends, and the next one comes on another login node: it finds the jobs, takes over their results, and nothing runs twice.
func TestAnotherLoginNode(t *testing.T) {
	t.Parallel()
	k := newSite(t, "nodes", `
objective: {goal: minimize}
cost: {source: slurm, unit: core-hours}
budget: {total: 100, trials: 9}
parameters:
  x: {type: float, min: 0, max: 1}
command: [sh, -c, 'echo $EKE_TRIAL >> ran; sleep 4; echo "{{\"objective\": $EKE_PARAM_X}}" > $EKE_RESULT && echo "$EKE_TRIAL $EKE_PARAM_X" >> reported']
parallel: 3
policy: {name: random}
stop: never
engine: {type: slurm, time: 5m}
`)
	for _, node := range []string{"login1", "login2"} {
		k.Start(on(node)...)
		before := len(k.ran())
		for begin := time.Now(); len(k.ran()) < min(before+2, 9); time.Sleep(50 * time.Millisecond) {
			if time.Since(begin) > 5*time.Minute {
				t.Fatalf("nothing runs\n%s", k.Said())
			}
		}
		k.Kill()
		k.isLeft()
	}
	k.Start(on("login3")...)
	k.End()
	if ran := k.ran(); len(ran) != 9 {
		t.Errorf("%d commands ran: %v", len(ran), ran)
	}
	for _, trial := range k.audit().Trials {
		if trial.State != study.Done {
			t.Errorf("%+v", trial)
		}
	}
	if spaces, _ := filepath.Glob(filepath.Join(k.Dir, "runners", "run-*")); len(spaces) != 1 {
		t.Errorf("one controller after the other had workspaces %v", spaces)
	}
}

// isLeft waits until nobody has a workspace. What was ended on another node ends a moment after the one who was waited for.
func (k *site) isLeft() {
	k.Helper()
	locks, _ := filepath.Glob(filepath.Join(k.Dir, "runners", "run-*", "lock"))
	if len(locks) == 0 {
		k.Fatal("there is no workspace")
	}
	for begin, free := time.Now(), 0; free < len(locks); time.Sleep(20 * time.Millisecond) {
		free = 0
		for _, name := range locks {
			file, err := os.OpenFile(name, os.O_RDWR, 0)
			if err != nil {
				k.Fatal(err)
			}
			if is, err := flock.Try(file); is && err == nil {
				free++
			}
			file.Close()
		}
		if time.Since(begin) > 5*time.Minute {
			k.Fatalf("somebody has a workspace of %v", locks)
		}
	}
}

// ran lists the trials whose command was started.
func (k *site) ran() []string {
	raw, _ := os.ReadFile(filepath.Join(k.Dir, "ran"))
	return strings.Fields(string(raw))
}

// programs is where the program is that the tests have built; TestMain removes it.
var programs string

// built builds the program, once.
var built = sync.OnceValues(func() (string, error) {
	var err error
	if programs, err = os.MkdirTemp("", "eke-slurm-test-"); err != nil {
		return "", err
	}
	program := filepath.Join(programs, "eke")
	if out, err := exec.Command("go", "build", "-o", program, "../../../cmd/eke").CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return program, nil
})

// eke returns the program, in a folder of the test's own, and how to call it there.
func eke(t *testing.T) (program string, call func(args ...string) string) {
	needSlurm(t)
	dir := t.TempDir()
	program = filepath.Join(dir, "eke")
	made, err := built()
	if err == nil {
		err = os.Link(made, program)
	}
	if err != nil {
		t.Fatal(err)
	}
	return program, func(args ...string) string {
		t.Helper()
		cmd := exec.Command(program, args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("eke %s: %v: %s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
}

// What docs/CLUSTER.md tells a newcomer to do, with another command.
func TestNewcomer(t *testing.T) {
	t.Parallel()
	program, eke := eke(t)
	const train = `sleep 2; echo "{\"objective\": $EKE_PARAM_LR}"`
	if err := os.WriteFile(filepath.Join(filepath.Dir(program), "train.sh"), []byte(train), 0o600); err != nil {
		t.Fatal(err)
	}
	eke("init", "--engine", "slurm", "--option", "partition=main", "--option", "gres=gpu:2", "--unit", "gpu-hours", "--budget", "0.3",
		"--param", "lr=float:1e-5:0.1:log", "--param", "layers=int:1:8", "--command", "sh train.sh", "--name", "newcomer")
	eke("validate")
	if plan := eke("plan"); !strings.Contains(plan, "#SBATCH --gres=gpu:2\n") || !strings.Contains(plan, "would reserve 0.1 gpu-hours") {
		t.Error(plan)
	}
	for begin := time.Now(); time.Since(begin) < 6*time.Minute; time.Sleep(time.Second) { // as cron would
		if out := eke("run", "--once", "--plain"); strings.Contains(out, "done") {
			break
		}
	}
	list := eke("trials", "--json")
	if !strings.Contains(list, `"state": "done"`) && !strings.Contains(list, `"state":"done"`) {
		t.Error(list)
	}
}

// Workers of a server run in a job, for as long as it lasts.
func TestWorkerInJob(t *testing.T) {
	t.Parallel()
	program, eke := eke(t)
	dir := filepath.Dir(program)
	file := `
name: inside
objective: {goal: minimize}
cost: {source: walltime}
budget: {total: 1h, trials: 4}
parameters:
  x: {type: float, min: 0, max: 1}
command: [sh, -c, 'echo $SLURM_JOB_ID >> jobs; echo "{{\"objective\": $EKE_PARAM_X}}"']
policy: {name: random}
stop: never
`
	if err := os.WriteFile(filepath.Join(dir, "study.yaml"), []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	serve := exec.Command(program, "serve", "--listen", "127.0.0.1:18420", "--db", "server.db")
	serve.Dir = dir
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = serve.Process.Kill(); _ = serve.Wait() }()
	const at = "http://127.0.0.1:18420"
	for begin := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		if c, err := net.Dial("tcp", strings.TrimPrefix(at, "http://")); err == nil {
			c.Close()
			break
		} else if time.Since(begin) > 5*time.Minute {
			t.Fatalf("the server does not answer: %v", err)
		}
	}
	eke("study", "create", "study.yaml", "--server", at)
	out := slurm(t, "sbatch", "--wait", "--parsable", "--chdir="+dir, "--output="+dir+"/worker.out", "--wrap", program+" worker --server "+at+" --study inside --parallel 2 --workdir "+dir)
	said, _ := os.ReadFile(filepath.Join(dir, "worker.out"))
	jobs, _ := os.ReadFile(filepath.Join(dir, "jobs"))
	if want := strings.Repeat(jobNumber(out)+"\n", 4); string(jobs) != want {
		t.Errorf("%q, want %q: %s", jobs, want, said)
	}
}
