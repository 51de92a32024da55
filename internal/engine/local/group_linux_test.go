package local

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/study"
)

// A thread that ends elsewhere does not take the command with it: see start.
func TestThreadsMayEnd(t *testing.T) {
	done := make(chan outcome)
	c := sh(t, `: > "$EKE_DIR/ready"; while [ ! -e "$EKE_DIR/go" ]; do sleep 0.02; done; `+result)
	go func() {
		out, _ := runJob(context.Background(), c)
		done <- out
	}()
	isReady(t, c)
	for range 200 {
		over := make(chan struct{})
		go func() {
			defer close(over)
			runtime.LockOSThread() // and never unlocked: the thread ends
		}()
		<-over
	}
	write(t, filepath.Join(c.Dir, "go"), "", 0o600)
	if out := <-done; out.State != study.Done {
		t.Errorf("%+v", out)
	}
}

// Nothing that ran is left for us to wait for.
func TestNoZombies(t *testing.T) {
	for _, script := range []string{result, "sleep 60 & " + result, "exit 1", "kill -KILL $$"} {
		run(t, sh(t, script))
	}
	zombies, err := processes(func(pid int) bool {
		data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil {
			return false
		}
		f := strings.Fields(string(data[strings.LastIndexByte(string(data), ')')+1:]))
		return f[0] == "Z" && f[1] == strconv.Itoa(os.Getpid())
	})
	if err != nil || len(zombies) > 0 {
		t.Errorf("zombies %v, %v", zombies, err)
	}
}

func init() {
	modes["runner"] = func() {
		// The command reports, leaves a child and goes on: its runner will be killed meanwhile.
		script := `trap '' TERM; sleep 600 & echo '{"objective": 0.5, "cost": 2}' > "$EKE_RESULT"; echo $$ $! >&2; exec sleep 600`
		_, err := runJob(context.Background(), engine.Job{Argv: []string{"sh", "-c", script}, Dir: os.Getenv("TRIAL_DIR")})
		fmt.Println(err)
	}
}

// The runner is killed: the command dies with it, its child is swept, and its result is there.
func TestRunnerKilled(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "7")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), modeVariable+"=runner", "TRIAL_DIR="+dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var leader, child int
	eventually(t, "the command writes", func() bool {
		data, _ := os.ReadFile(filepath.Join(dir, engine.StderrFile))
		n, _ := fmt.Fscan(bufio.NewReader(strings.NewReader(string(data))), &leader, &child)
		return n == 2
	})
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	runs := func(pid int) bool { _, living := status(pid); return living }
	eventually(t, "the command dies with its runner", func() bool { return !runs(leader) })
	if !runs(child) {
		t.Error("the child is gone: nothing to sweep")
	}
	if n, err := sweep(t.Context(), dir); n != 1 || err != nil {
		t.Errorf("Sweep = %d, %v", n, err)
	}
	eventually(t, "the child dies", func() bool { return !runs(child) })
	if n, err := sweep(t.Context(), dir); n != 0 || err != nil {
		t.Errorf("Sweep once more = %d, %v", n, err)
	}
	out := found(engine.Job{Dir: dir})
	if want := (outcome{State: study.Done, Value: 0.5, Cost: 2, HasCost: true}); out != want {
		t.Errorf("%+v", out)
	}
}

// A process is swept although it becomes another program all the time, and has no environment while it does.
func TestSweepFindsWhoBecomesAnother(t *testing.T) {
	for range 20 {
		dir := t.TempDir()
		restless := write(t, filepath.Join(dir, "restless.sh"), "#!/bin/sh\nexec \"$0\"\n", 0o700)
		cmd := exec.Command(restless)
		cmd.Env = []string{"EKE_DIR=" + dir}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		n, err := sweep(t.Context(), dir)
		if n != 1 || err != nil {
			_ = cmd.Process.Kill()
			t.Errorf("%d were swept, %v", n, err)
		}
		_ = cmd.Wait() // what is swept dies
	}
}

func init() {
	modes["heavy"] = func() {
		dir := os.Getenv("EKE_DIR")
		lock, err := os.Create(filepath.Join(dir, "lock"))
		if err == nil {
			err = unix.Flock(int(lock.Fd()), unix.LOCK_EX)
		}
		memory, mapped := unix.Mmap(-1, 0, 1<<29, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
		_ = unix.Madvise(memory, unix.MADV_NOHUGEPAGE) // many small pages take longer to be given back
		for i := 0; i < len(memory); i += 1 << 12 {
			memory[i] = 1
		}
		if err := errors.Join(err, mapped, os.WriteFile(filepath.Join(dir, "ready"), nil, 0o600)); err != nil {
			panic(err)
		}
		time.Sleep(time.Hour)
	}
}

func init() {
	modes["headless"] = func() {
		for first := false; !first; {
			tried := make(chan bool)
			go func() {
				runtime.LockOSThread()
				if first := unix.Gettid() == os.Getpid(); !first {
					tried <- false
					select {} // it keeps its thread, so that the next one gets another
				}
				close(tried)
				_, _, _ = unix.Syscall(unix.SYS_EXIT, 0, 0, 0) // of this thread alone
			}()
			_, others := <-tried
			first = !others
		}
		if err := os.WriteFile(filepath.Join(os.Getenv("EKE_DIR"), "ready"), nil, 0o600); err != nil {
			panic(err)
		}
		time.Sleep(time.Hour)
	}
}

// A process goes on when its first thread has ended. It shows no environment then, but its other threads do, so it is swept.
func TestSweepFindsWhoLostItsFirstThread(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = []string{"EKE_DIR=" + dir, modeVariable + "=headless"}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill() }()
	eventually(t, "its first thread has ended", func() bool {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", cmd.Process.Pid))
		_, missing := os.Stat(filepath.Join(dir, "ready"))
		return err == nil && missing == nil && bytes.Contains(stat, []byte(") Z "))
	})
	if n, err := sweep(t.Context(), dir); n != 1 || err != nil {
		t.Errorf("%d were swept, %v", n, err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		t.Log(err)
	case <-time.After(time.Minute):
		t.Error("it goes on")
	}
}

// The kernel takes the memory of a killed process first, which takes a while if there is much, and closes its files after. Until then it holds what it has
// locked, and a GPU. So neither a sweep nor a command has ended before, whoever killed the process.
func TestKilledProcessesHaveLetGo(t *testing.T) {
	free := func(dir, when string) {
		t.Helper()
		lock, err := os.Open(filepath.Join(dir, "lock"))
		if err != nil {
			t.Fatal(err)
		}
		defer lock.Close()
		if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
			t.Errorf("%s: its lock is still held: %v", when, err)
		}
	}
	for _, killed := range []bool{false, true} {
		dir := t.TempDir()
		cmd := exec.Command(os.Args[0])
		cmd.Env = []string{"EKE_DIR=" + dir, modeVariable + "=heavy"}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the process is ready", func() bool { _, err := os.Stat(filepath.Join(dir, "ready")); return err == nil })
		if killed {
			_ = cmd.Process.Kill()
		}
		if n, err := sweep(t.Context(), dir); err != nil || n == 0 && !killed {
			t.Errorf("killed before: %v: %d were swept, %v", killed, n, err)
		}
		free(dir, fmt.Sprintf("swept, and killed before: %v", killed))
		_ = cmd.Wait()
	}
	c := sh(t, modeVariable+`=heavy "$HEAVY" & while [ ! -e "$EKE_DIR/ready" ]; do sleep 0.02; done; `+result)
	c.Env = append(os.Environ(), "HEAVY="+os.Args[0])
	if out := run(t, c); out.State != study.Done {
		t.Errorf("%+v", out)
	}
	free(c.Dir, "left by a command")
}

// A process in the middle of an exec is not taken for one without an environment.
func TestEnvironmentThatIsNotThereYet(t *testing.T) {
	line := func(startCode, envStart, envEnd string) []byte {
		fields := slices.Repeat([]string{"7"}, 52)
		fields[1], fields[2], fields[25], fields[49], fields[50] = "(a) b)", "R", startCode, envStart, envEnd
		return []byte(strings.Join(fields, " ") + "\n")
	}
	for _, c := range []struct {
		stat []byte
		want bool
	}{{line("0", "0", "0"), false}, {line("0", "900", "0"), false}, {line("0", "900", "900"), false}, {line("400", "900", "950"), false}, {line("400", "900", "900"), true}} {
		if got := hasNone(c.stat); got != c.want {
			t.Errorf("%s: %v", c.stat, got)
		}
	}
}

// Who has ended has let go of everything once it is a zombie, unless it has threads left. A thread of the kernel never ends.
func TestWhoIsLeaving(t *testing.T) {
	for line, want := range map[string]bool{
		"7 (a) b) R 1 7 7 0 -1 4194308 0 0 0 0 0 0 0 0 20 0 1 0 9":  true,  // exiting
		"7 (a) b) R 1 7 7 0 -1 4194304 0 0 0 0 0 0 0 0 20 0 1 0 9":  false, // running
		"7 (a) b) Z 1 7 7 0 -1 4195332 0 0 0 0 0 0 0 0 20 0 1 0 9":  false, // killed, a zombie
		"7 (a) b) Z 1 7 7 0 -1 4195332 0 0 0 0 0 0 0 0 20 0 3 0 9":  true,  // killed, with two more threads
		"7 (a) b) Z 1 7 7 0 -1 4194308 0 0 0 0 0 0 0 0 20 0 3 0 9":  true,  // its first thread has ended, the others go on or have still to let go
		"2 (kthread) S 0 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0": false,
		"7 (short) R 1 7": false,
	} {
		if got := isLeaving([]byte(line + "\n")); got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
}

func TestReadOnlyFolder(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []string{dir, filepath.Dir(dir)} {
		if err := os.Chmod(d, 0o555); err != nil {
			t.Fatal(err)
		}
		defer os.Chmod(d, 0o755)
	}
	c := command(t, "true")
	c.Dir = filepath.Join(dir, "7")
	errs := make(chan error)
	go func() {
		// Root may write anywhere, so it is somebody else for this thread, which is not used again.
		runtime.LockOSThread()
		if os.Getuid() == 0 {
			_, _, _ = syscall.RawSyscall(syscall.SYS_SETFSUID, 65534, 0, 0)
		}
		_, err := prepare(c)
		errs <- err
	}()
	err := <-errs
	if err == nil {
		t.Fatal("no error")
	}
	says(t, err.Error()+"; "+fault.HintOf(err), "no permission to write", c.Dir, "writable")
}

func init() {
	modes["small disks"] = func() {
		dir := os.Getenv("TRIAL_DIR")
		disk := func(name, options string, flags uintptr) string {
			path := filepath.Join(dir, name)
			_ = os.Mkdir(path, 0o777)
			if err := syscall.Mount("none", path, "tmpfs", flags, options); err != nil {
				fmt.Println("cannot mount:", err)
				os.Exit(0)
			}
			return filepath.Join(path, "7")
		}
		script := `head -c 1000000 /dev/zero > "$EKE_DIR/scratch" 2>/dev/null; echo '{"objective": 1, "cost": 1}' > "$EKE_RESULT"; exit 0`
		try := func(dir string) {
			out, err := runJob(context.Background(), engine.Job{Argv: []string{"sh", "-c", script}, Dir: dir})
			fmt.Println(out.State, out.Note, err, fault.HintOf(err))
		}
		try(disk("small", "size=64k", 0))
		try(filepath.Join(dir, "small", "8")) // now it is full
		try(disk("readonly", "", syscall.MS_RDONLY))
	}
}

// Real disks: one that fills up while the command runs, one that is full, one that is read-only.
func TestDisks(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), modeVariable+"=small disks", "TRIAL_DIR="+t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
	text, err := cmd.Output()
	if err != nil || strings.HasPrefix(string(text), "cannot mount") {
		t.Skipf("no disks of one's own here: %s %v", text, err)
	}
	t.Logf("%s", text)
	says(t, string(text), "failed result.json is empty", "is full: free some space", "the disk is full:", "the file system is read-only:")
}

// A controller that was kept waiting until the grace was over looks once more before it calls a command stubborn that is dead.
func TestLateLook(t *testing.T) {
	cmd := exec.Command("sleep", "600")
	cmd.SysProcAttr = groupAttributes()
	runtime.LockOSThread() // the command dies with the thread that started it
	defer runtime.UnlockOSThread()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	exited := make(chan struct{})
	w := watch{cmd: cmd, exited: exited}
	if w.gone(0) {
		t.Error("a command that runs is gone")
	}
	terminate(cmd)
	awaitExit(cmd)
	time.AfterFunc(time.Millisecond, func() { close(exited) }) // the news comes late
	if !w.gone(0) {
		t.Error("a command that is dead is not gone")
	}
}

// A controller that goes on after it was stopped looks whether the command has ended meanwhile, however late it hears of the end.
func TestEndIsSeenLate(t *testing.T) {
	cmd := exec.Command("true")
	cmd.SysProcAttr = groupAttributes()
	runtime.LockOSThread() // the command dies with the thread that started it
	defer runtime.UnlockOSThread()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Wait() }() // TestNoZombies may come after it
	awaitExit(cmd)
	exited := make(chan struct{})
	w := watch{cmd: cmd, exited: exited, files: files{t.TempDir()}, clock: newClock(time.Now())}
	w.seen = w.seen.Add(-2 * blind)
	time.AfterFunc(tick, func() { close(exited) }) // longer than news are waited for
	if !w.isOver() || !w.guessed {
		t.Errorf("the command has ended while nobody looked; used %v, guessed %v", w.used(), w.guessed)
	}
}

// A controller may be stopped before it knows that the command was started.
func TestStoppedWhileStarting(t *testing.T) {
	begin := time.Now().Add(-2 * blind)
	if c := newClock(begin); !c.wasBlind() {
		t.Errorf("the start took %v, and the command counts as seen %v after it began", 2*blind, c.seen.Sub(begin))
	}
	if c := newClock(time.Now()); c.wasBlind() {
		t.Error("the start took no time, and the command does not count as seen")
	}
}
