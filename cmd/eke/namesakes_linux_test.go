package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

// The command of this test. It notes that it runs, what it is about to report, a value that no other run has, and that it has.
const witness = `id=$(cat $EKE_DIR/trial.id) || exit 0
echo "started $id" >> witnessed
sleep 0.$((EKE_TRIAL % 3))
at=$(date +%s.%N) && value=1${at#*.} cost=0.$((1 + EKE_TRIAL % 9)) || exit 0
echo "reports $id $value $cost $at" >> witnessed
echo "{\"objective\": $value, \"cost\": $cost}" > $EKE_RESULT.new
mv $EKE_RESULT.new $EKE_RESULT || exit 0
echo "reported $id $value $cost $at" >> witnessed
sleep 0.0$((EKE_TRIAL % 5)) || exit 0`

// unrest is a store whose studies are deleted, renamed, begun anew, copied and restored from a backup, while whoever works on them is killed.
type unrest struct {
	*killed
	db       *database
	address  string // of the server; without one, runs share the store
	server   *exec.Cmd
	workers  []*worker
	did      map[string]int
	backup   *backup
	restored []*backup
	murmurs  *said
	created  int // studies
	moved    int // folders
}

// worker is an eke worker, or an eke run.
type worker struct {
	*exec.Cmd
	over chan struct{}
	out  *said
}

// backup is a copy of the store.
type backup struct {
	done map[string]bool // the trials whose results are in it
	back time.Time       // when the store was replaced by it
}

// TestKillNamesakes kills servers, workers, runs, trials and those who meddle, while studies take each other's names:
// EKE_KILLS=250 go test -run TestKillNamesakes ./cmd/eke
//
// No result is lost or there twice, none is booked as another trial's, and what never ran is not charged.
func TestKillNamesakes(t *testing.T) {
	kills, long := 6, false
	if n, err := strconv.Atoi(os.Getenv("EKE_KILLS")); err == nil {
		kills, long = n, true
	}
	for _, kind := range []string{"sqlite", "postgres"} {
		for _, way := range []string{"runs", "server"} {
			t.Run(kind+"/"+way, func(t *testing.T) {
				t.Parallel()
				u := newUnrest(t, kind, way == "server")
				defer u.halt()
				n := 0
				for n < kills || long && n < 20*kills && !u.allHappened() {
					u.meddle()
					u.work()
					time.Sleep(time.Duration(u.rng.IntN(500)) * time.Millisecond)
					n += u.kill()
				}
				u.settle()
				u.audit(n)
			})
		}
	}
}

func newUnrest(t *testing.T, kind string, served bool) *unrest {
	u := &unrest{killed: &killed{t: t, dir: t.TempDir(), rng: rand.New(rand.NewPCG(5, uint64(len(kind)))), cost: study.Reported}, workers: make([]*worker, 2), did: map[string]int{}, murmurs: &said{}}
	u.db = newDatabase(t, kind, u.dir)
	if served {
		u.address = freeAddress()
	}
	return u
}

// freeAddress is one that nobody listens on. The system hands out ports above these.
func freeAddress() string {
	for {
		if l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 12000+rand.IntN(20000))); err == nil {
			defer l.Close()
			return l.Addr().String()
		}
	}
}

func (u *unrest) eke(args ...string) *exec.Cmd {
	c := u.killed.eke(args...)
	c.Env = append(os.Environ(), "EKE_DB="+u.db.url)
	return c
}

var names = []string{"furnace", "kiln", "oven", "stove"}

func (u *unrest) name() string { return names[u.rng.IntN(len(names))] }

// another is a name that no study has now, if there is one.
func (u *unrest) another() string {
	taken := u.studies()
	free := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return slices.ContainsFunc(taken, func(h store.Header) bool { return h.Name == name })
	})
	if len(free) == 0 {
		return u.name()
	}
	return free[u.rng.IntN(len(free))]
}

// meddle changes what names mean. Whatever is refused is refused for a reason; a third of those who meddle are killed.
func (u *unrest) meddle() {
	from, to := u.name(), u.another()
	what := []string{"create", "create", "delete", "rename", "rename", "copy", "back up", "restore"}[u.rng.IntN(8)]
	args := map[string][]string{"delete": {"delete", from, "--yes", "--export", fmt.Sprintf("deleted-%d.json", u.did["delete"])}, "rename": {"rename", from, to}, "copy": {"copy", from, to, "--results"}}[what]
	switch what {
	case "create":
		args = []string{"study", "create", u.studyFile(to)}
	case "back up":
		if u.backup == nil {
			u.halt()
			u.backup = &backup{done: u.doneTrials()}
			u.db.backUp()
		}
		return
	case "restore":
		if u.backup == nil {
			return
		}
		u.halt()
		u.db.restore()
		u.backup.back = time.Now()
		u.restored, u.backup = append(u.restored, u.backup), nil
		u.moveAway()
		if err := os.RemoveAll(filepath.Join(u.dir, "eke.trials", ".seen")); err != nil {
			u.t.Fatal(err)
		}
		u.did[what]++
		return
	}
	if what == "delete" || what == "rename" {
		u.quieten(from)
	}
	out, ok := u.try(u.rng.IntN(3) == 0, args...)
	if strings.Contains(out, "move it away first") && u.backup == nil { // what a deleted study has left
		u.keep(filepath.Join(u.dir, "eke.trials", to))
		_, ok = u.try(false, args...)
	}
	if ok {
		u.did[what]++
	}
	switch {
	case what == "delete" && u.address == "":
		u.moveAway()
	case what == "rename":
		u.try(false, "resume", to)
	}
	u.try(false, "resume", from)
}

// try runs a verb, which may be refused, or killed.
func (u *unrest) try(kill bool, args ...string) (said string, ok bool) {
	c, out := u.eke(args...), &strings.Builder{}
	c.Stdout, c.Stderr = out, out
	if err := c.Start(); err != nil {
		u.t.Fatal(err)
	}
	if kill {
		time.Sleep(time.Duration(u.rng.IntN(30)) * time.Millisecond)
		_ = c.Process.Kill()
	}
	err := c.Wait()
	u.isCivil(out.String())
	return out.String(), err == nil
}

// quieten lets the trials of a study end, and no others begin: it could not be renamed or deleted otherwise.
func (u *unrest) quieten(name string) {
	if _, ok := u.try(false, "pause", name); !ok {
		return
	}
	u.work()
	u.killWorker(0, false)
	u.workers[0] = u.begin(name) // takes up what others have left
	u.awaitEnds(name, u.workers[0])
}

// awaitEnds waits until no trial of a study that is paused is open: one that works on it begins what was asked for before, too.
func (u *unrest) awaitEnds(name string, w *worker) {
	for end := time.Now().Add(hangs); len(u.record(name).Open()) > 0; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			u.t.Fatalf("the %d trials of %s do not end\n%s", len(u.record(name).Open()), name, w.out)
		}
	}
}

// moveAway moves the folders of trials that the store does not know, as a run asks for. A trial is in the store before it has a folder,
// so the folders are read first: one that is made meanwhile stays.
func (u *unrest) moveAway() {
	folders, _ := filepath.Glob(filepath.Join(u.dir, "eke.trials", "*", "[0-9][0-9][0-9][0-9][0-9]"))
	of := map[string]string{}
	for _, folder := range folders {
		if id, err := os.ReadFile(filepath.Join(folder, "trial.id")); err == nil {
			of[strings.TrimSpace(string(id))] = folder
		}
	}
	for _, h := range u.studies() {
		for _, t := range u.record(h.Name).Trials {
			delete(of, t.ID)
		}
	}
	for _, folder := range of {
		u.keep(folder)
	}
}

// keep moves a folder away, if it is there.
func (u *unrest) keep(folder string) {
	away := filepath.Join(u.dir, "away")
	u.moved++
	err := errors.Join(os.MkdirAll(away, 0o777), os.Rename(folder, filepath.Join(away, strconv.Itoa(u.moved))))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		u.t.Fatal(err)
	}
}

var rude = regexp.MustCompile(`(?i)panic|goroutine \d|damaged|internal error`)

func (u *unrest) isCivil(text string) {
	u.t.Helper()
	if rude.MatchString(text) {
		u.t.Errorf("somebody said:\n%s", text)
	}
}

// studyFile writes a study file: each has a range of its own.
func (u *unrest) studyFile(name string) string {
	u.created++
	text := fmt.Sprintf("name: %s\nobjective: {goal: minimize}\ncost: {source: reported}\nbudget: {total: 1000, per_trial: 1}\nparameters:\n  x: {type: float, min: %d, max: %d}\n"+
		"policy: {name: random}\nstop: never\ncommand: [sh, -c, %q]\n", name, u.created, u.created+1, strings.NewReplacer("{", "{{", "}", "}}").Replace(witness))
	file := filepath.Join(u.dir, fmt.Sprintf("study-%d.yaml", u.created))
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		u.t.Fatal(err)
	}
	return file
}

// work sees that a server and two workers, or two runs, are there.
func (u *unrest) work() {
	if u.address != "" && u.server == nil {
		u.serve()
	}
	for i, w := range u.workers {
		if w != nil {
			select {
			case <-w.over: // its study is gone, or never was
				u.isCivil(w.out.String())
			default:
				continue
			}
		}
		u.workers[i] = u.begin(u.name())
	}
}

// begin starts somebody who works on a study.
func (u *unrest) begin(name string) *worker {
	args := []string{"run", name, "--parallel", "2", "--plain"}
	if u.address != "" {
		args = []string{"worker", "--server", "http://" + u.address, "--study", name, "--parallel", "2", "--plain"}
	}
	w := &worker{u.eke(args...), make(chan struct{}), &said{}}
	w.Stdout, w.Stderr = w.out, w.out
	if err := w.Start(); err != nil {
		u.t.Fatal(err)
	}
	go func() {
		_ = w.Wait()
		close(w.over)
	}()
	return w
}

func (u *unrest) serve() {
	u.server = u.eke("serve", "--listen", u.address, "--lease", "2s", "--quiet")
	u.server.Stdout, u.server.Stderr = u.murmurs, u.murmurs
	if err := u.server.Start(); err != nil {
		u.t.Fatal(err)
	}
	for end := time.Now().Add(hangs); ; time.Sleep(5 * time.Millisecond) {
		if r, err := http.Get("http://" + u.address + "/healthz"); err == nil {
			r.Body.Close()
			return
		}
		if time.Now().After(end) {
			u.t.Fatalf("the server does not start:\n%s", u.murmurs)
		}
	}
}

// kill kills somebody, and says how many.
func (u *unrest) kill() int {
	switch who := u.rng.IntN(4); {
	case who == 0:
		children := u.children()
		if len(children) == 0 {
			return 0
		}
		_ = syscall.Kill(children[u.rng.IntN(len(children))], syscall.SIGKILL)
		return 1
	case who == 1 && u.server != nil:
		u.killServer()
		return 1
	default:
		i := u.rng.IntN(len(u.workers))
		return u.killWorker(i, u.rng.IntN(2) == 0)
	}
}

func (u *unrest) killServer() {
	_ = u.server.Process.Kill()
	_ = u.server.Wait()
	u.server = nil
}

// killWorker kills one, with its trials or without: they die with it, a moment later.
func (u *unrest) killWorker(i int, first bool) int {
	w := u.workers[i]
	if w == nil {
		return 0
	}
	u.workers[i] = nil
	select {
	case <-w.over:
		u.isCivil(w.out.String())
		return 0
	default:
	}
	var children []int
	if first {
		children = u.children()
	}
	_ = w.Process.Kill()
	for _, pid := range children {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	<-w.over
	u.isCivil(w.out.String())
	return 1
}

// halt kills everybody.
func (u *unrest) halt() {
	for i := range u.workers {
		u.killWorker(i, false)
	}
	if u.server != nil {
		u.killServer()
	}
	for end := time.Now().Add(hangs); len(u.children()) > 0 && time.Now().Before(end); {
		time.Sleep(5 * time.Millisecond)
	}
}

// allHappened says whether everything that may happen has.
func (u *unrest) allHappened() bool {
	for _, what := range []string{"create", "delete", "rename", "copy", "restore"} {
		if u.did[what] == 0 {
			return false
		}
	}
	return true
}

// settle lets somebody take up what the dead have left of every study that is there, and waits until all of its trials have ended.
func (u *unrest) settle() {
	u.halt()
	if u.address != "" {
		u.serve()
	} else {
		u.moveAway() // a run may have begun a trial while its study was deleted
	}
	if len(u.studies()) == 0 {
		if out, ok := u.try(false, "study", "create", u.studyFile(u.name())); !ok {
			u.t.Fatal(out)
		}
	}
	for _, h := range u.studies() {
		u.try(false, "resume", h.Name)
		u.try(false, "study", "archive", "--undo", h.Name) // a study is archived before it is deleted, and who deletes may have been killed in between
		w := u.begin(h.Name)
		some := regexp.MustCompile(`(?s)(started.*){3} done `)
		w.out.await(u.t, some, w.over)
		if !some.MatchString(w.out.String()) {
			u.t.Fatalf("nobody can work on %s:\n%s", h.Name, w.out)
		}
		u.try(false, "pause", h.Name) // whoever is only interrupted leaves what it has asked for, and not begun, to the next
		u.awaitEnds(h.Name, w)
		_ = w.Process.Signal(os.Interrupt)
		<-w.over
		u.isCivil(w.out.String())
	}
	u.halt()
	u.isCivil(u.murmurs.String())
}

func (u *unrest) studies() []store.Header {
	db := u.db.open()
	defer db.Close()
	list, err := db.List(context.Background())
	if err != nil {
		u.t.Fatal(err)
	}
	return list
}

func (u *unrest) record(name string) *study.Record {
	db := u.db.open()
	defer db.Close()
	r, _, err := store.Load(context.Background(), db, name)
	if err != nil {
		u.t.Fatal(err)
	}
	return r
}

// doneTrials are the trials that have a result, by their IDs.
func (u *unrest) doneTrials() map[string]bool {
	done := map[string]bool{}
	for _, h := range u.studies() {
		for _, t := range u.record(h.Name).Trials {
			done[t.ID] = t.State == study.Done
		}
	}
	return done
}
