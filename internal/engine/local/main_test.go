package local

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/internal/engine/enginetest"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// The test binary is also the program that is run: a mode in this variable says which.
const modeVariable = "EVALUATOR_TEST_MODE"

// modes are the programs.
var modes = map[string]func(){
	"print100MB": func() {
		line := strings.Repeat("all work and no play makes a long log\n", 1<<15)
		for range 100 << 20 / len(line) {
			fmt.Print(line)
		}
		fmt.Println(`{"objective": 0.5, "cost": 2}`)
	},
	"hugeLine": func() {
		chunk := strings.Repeat("x", 1<<20)
		for range 3 {
			fmt.Print(chunk)
		}
		fmt.Print(`{"objective": 0.5, "cost": 2}`)
	},
	"long line, then a result": func() {
		fmt.Println(strings.Repeat("x", 3<<20))
		fmt.Println(`{"objective": 0.5, "cost": 2}`)
	},
}

func TestMain(m *testing.M) {
	enginetest.Main(open)
	if mode, ok := os.LookupEnv(modeVariable); ok {
		os.Unsetenv(modeVariable) // what it starts in turn is none
		modes[mode]()
		os.Exit(0)
	}
	blind = time.Hour // a busy machine may keep the tests waiting for longer than a controller; see TestUnseen
	goleak.VerifyTestMain(m)
}

func open() engine.Engine { return &Engine{} }

// TestEngine holds this engine to what every engine promises.
func TestEngine(t *testing.T) {
	enginetest.Run(t, enginetest.Config{Open: open, NoKills: runtime.GOOS != "linux"}) // only Linux shows what a killed controller left
}

// mode returns the command that runs one of the modes.
func mode(t *testing.T, name string) engine.Job {
	t.Helper()
	if modes[name] == nil {
		t.Fatalf("no mode %q", name)
	}
	c := command(t, os.Args[0])
	c.Env = append(os.Environ(), modeVariable+"="+name)
	return c
}

// sh returns the command that runs a shell script.
func sh(t *testing.T, script string) engine.Job {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no shell")
	}
	return command(t, "sh", "-c", script)
}

func command(t *testing.T, argv ...string) engine.Job {
	t.Helper()
	return engine.Job{
		Argv: argv, Trial: 7, Study: "airfoil", Dir: filepath.Join(t.TempDir(), "trials", "7"),
		Setting: space.Setting{"lr": space.Float(0.001), "n": space.Int(3), "opt": space.String("adam"), "wide-net": space.Bool(true)},
	}
}

// isReady waits until a command has made the file "ready" in its folder.
func isReady(t *testing.T, j engine.Job) {
	t.Helper()
	eventually(t, "the command is ready", func() bool {
		_, err := os.Stat(filepath.Join(j.Dir, "ready"))
		return err == nil
	})
}

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for begin := time.Now(); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Since(begin) > 5*time.Minute {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

// outcome is the end of a job without pointers, so that two of them can be compared.
type outcome struct {
	State           study.State
	Value, Cost     float64
	HasCost         bool
	Wall            time.Duration
	Exit            study.Exit
	Began           time.Time
	NeverBegan      bool
	Estimated, Lost bool
	Note            string
}

func flat(s engine.Status) outcome {
	f := s.Outcome
	o := outcome{State: f.State, Value: f.Value, Wall: time.Duration(math.Round(f.Wall * 1e9)), Began: s.Began, NeverBegan: s.NeverBegan, Estimated: f.Estimated, Lost: f.Lost, Note: f.Note}
	if f.Cost != nil {
		o.Cost, o.HasCost = *f.Cost, true
	}
	if f.Exit != nil {
		o.Exit = *f.Exit
	}
	return o
}

// found is what is recovered of a job.
func found(j engine.Job) outcome { return flat(Found(j)) }

// aged runs a job whose command was started long ago, by its clock: nobody has to wait for its limit, and what the command does before
// that is done, however slow the machine is.
func aged(t *testing.T, j engine.Job, age time.Duration) outcome {
	t.Helper()
	p, err := prepare(j)
	if err != nil {
		t.Fatal(err)
	}
	x, err := p.start()
	if err != nil {
		t.Fatal(err)
	}
	isReady(t, j)
	x.watch.begin = x.watch.begin.Add(-age)
	return flat(engine.EndedAs(x.wait(context.Background())))
}

// runJob runs a job to its end.
func runJob(ctx context.Context, j engine.Job) (outcome, error) {
	p, err := prepare(j)
	if err != nil {
		return outcome{}, err
	}
	x, err := p.start()
	if err != nil {
		return outcome{}, err
	}
	return flat(engine.EndedAs(x.wait(ctx))), nil
}

// run runs a command that must start.
func run(t *testing.T, c engine.Job) outcome {
	t.Helper()
	out, err := runJob(context.Background(), c)
	if err != nil {
		t.Fatalf("Run: %v", err)
	}
	return out
}

// refused returns why a command was not run.
func refused(t *testing.T, c engine.Job) *fault.Error {
	t.Helper()
	out, err := runJob(context.Background(), c)
	var e *fault.Error
	if !errors.As(err, &e) {
		t.Fatalf("Run = %+v, %v; want an *fault.Error", out, err)
	}
	if e.Problem == "" || e.Hint == "" || out != (outcome{}) {
		t.Errorf("problem %q, hint %q, outcome %+v", e.Problem, e.Hint, out)
	}
	return e
}

// says checks that a text says all of these.
func says(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q does not say %q", text, part)
		}
	}
}

func write(t *testing.T, path, content string, mode os.FileMode) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
	return path
}
