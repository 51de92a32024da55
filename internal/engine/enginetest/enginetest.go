package enginetest

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// Config says how the engine is tested. Only Open is needed.
type Config struct {
	Open     func() engine.Engine // a new controller's engine, which knows nothing of what earlier ones did
	Patience time.Duration        // how long anything may take that should take a moment; 0 means five minutes
	Limit    time.Duration        // the shortest limit that the engine keeps; 0 means 2 s
	Image    bool                 // commands run in an image: nobody knows its programs and folders here, and both of its outputs are one
	Late     bool                 // a cluster keeps the limit; where it stops a job late, the job costs what it has used
	NoKills  bool                 // leave out the tests that kill a controller, where the engine cannot find what it leaves running
}

// Run runs all tests.
func Run(t *testing.T, c Config) {
	c.Patience, c.Limit = cmp.Or(c.Patience, 5*time.Minute), cmp.Or(c.Limit, 2*time.Second)
	for name, test := range map[string]func(*bench){
		"result": testResult, "printed": testPrinted, "failure": testFailure, "nothing reported": testNothing, "wall time": testWallTime,
		"limit": testLimit, "extension": testExtension, "cancel": testCancel, "the context ends": testContext,
		"submitted twice": testTwice, "all at once": testAll, "output": testOutput,
		"probe": testProbe, "old result": testOldResult, "unknown": testUnknown, "claim": testClaim,
		"killed with a result": testKilledWithResult, "killed without": testKilledWithout,
	} {
		if c.NoKills && strings.HasPrefix(name, "killed") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(&bench{T: t, Config: c, e: c.Open(), dir: t.TempDir()})
		})
	}
}

// bench is where one test works.
type bench struct {
	*testing.T
	Config
	e    engine.Engine
	dir  string
	jobs int
}

// job is a job of the bench that runs a shell script.
func (b *bench) job(script string) engine.Job {
	b.jobs++
	return engine.Job{
		Argv: []string{"sh", "-c", script}, Trial: b.jobs, Study: "bench", Dir: filepath.Join(b.dir, fmt.Sprintf("%05d", b.jobs)), WorkDir: b.dir,
		Setting: space.Setting{"x": space.Float(0.25)}, Objective: "loss",
	}
}

// submit has a job evaluated as the loop does.
func (b *bench) submit(j engine.Job) {
	b.Helper()
	if err := b.e.Probe(b.Context(), j); err != nil {
		b.Fatal(err)
	}
	if err := b.e.Submit(b.Context(), j); err != nil {
		b.Fatal(err)
	}
}

func (b *bench) poll(j engine.Job) engine.Status {
	b.Helper()
	list, err := b.e.Poll(b.Context(), []engine.Job{j})
	if err != nil || len(list) != 1 {
		b.Fatalf("%+v, %v", list, err)
	}
	return list[0]
}

// end waits for the end of a job.
func (b *bench) end(j engine.Job) (out study.Finished) {
	b.Helper()
	b.eventually("the job ends", func() bool {
		s := b.poll(j)
		out = s.Outcome
		return s.Phase == engine.Ended
	})
	return out
}

func (b *bench) run(j engine.Job) study.Finished {
	b.Helper()
	b.submit(j)
	return b.end(j)
}

// costs checks what an ended job has cost; 0 means that nobody knows.
func (b *bench) costs(j engine.Job, want float64) {
	b.Helper()
	if cost, err := b.e.Cost(b.Context(), j); err != nil || cost != (engine.Cost{Amount: want, Known: want > 0}) {
		b.Errorf("it has cost %+v, %v; want %v", cost, err, want)
	}
}

func (b *bench) eventually(what string, is func() bool) {
	b.Helper()
	for begin := time.Now(); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Since(begin) > b.Patience {
			b.Fatalf("waited in vain: %s", what)
		}
	}
}

func (b *bench) says(text string, parts ...string) {
	b.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			b.Errorf("%q does not say %q", text, part)
		}
	}
}

// lines counts the lines of a file that commands append to.
func (b *bench) lines(name string) int {
	data, _ := os.ReadFile(filepath.Join(b.dir, name))
	return strings.Count(string(data), "\n")
}

// controllerVariable holds the job of a controller that is to be killed.
const controllerVariable = "EKE_ENGINETEST_JOB"

// Main plays a controller that submits one job and waits to be killed, if this process is one. Call it first in TestMain.
func Main(open func() engine.Engine) {
	raw, ok := os.LookupEnv(controllerVariable)
	if !ok {
		return
	}
	os.Unsetenv(controllerVariable)
	var j struct{ Script, Dir, WorkDir string }
	err := json.Unmarshal([]byte(raw), &j)
	if err == nil {
		err = open().Submit(context.Background(), engine.Job{Argv: []string{"sh", "-c", j.Script}, Trial: 1, Study: "bench", Dir: j.Dir, WorkDir: j.WorkDir, Objective: "loss"})
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	time.Sleep(time.Hour)
}

// orphan has another controller submit a job, and kills that controller once ready says so.
func (b *bench) orphan(j engine.Job, ready func() bool) {
	b.Helper()
	raw, err := json.Marshal(map[string]string{"Script": j.Argv[2], "Dir": j.Dir, "WorkDir": j.WorkDir})
	if err != nil {
		b.Fatal(err)
	}
	if err := b.e.Probe(b.Context(), j); err != nil {
		b.Fatal(err)
	}
	controller := exec.Command(os.Args[0])
	controller.Env = append(os.Environ(), controllerVariable+"="+string(raw))
	if err := controller.Start(); err != nil {
		b.Fatal(err)
	}
	defer func() {
		_ = controller.Process.Kill()
		_ = controller.Wait()
	}()
	b.eventually("the other controller's job runs", ready)
}
