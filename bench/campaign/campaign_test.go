package campaign

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// job is a number to be squared.
type job int

func (j job) String() string  { return fmt.Sprintf("job %d", int(j)) }
func (j job) Kind() string    { return "square" }
func (j job) Weight() float64 { return 1 }

type square struct {
	Of     int
	Square int
}

func squares(dir string) *Folder[job, square] {
	return &Folder[job, square]{Dir: dir, KeyOf: func(s square) job { return job(s.Of) },
		Compare: func(a, b square) int { return cmp.Compare(a.Of, b.Of) },
		Check: func(s square) error {
			if s.Square != s.Of*s.Of {
				return errors.New("not a square")
			}
			return nil
		}}
}

// record counts the calls of an observer.
type record struct {
	mu             sync.Mutex
	started, ended map[job]int
	wrong          int
}

func newRecord() *record { return &record{started: map[job]int{}, ended: map[job]int{}} }

func (r *record) Started(j job) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.started[j]++
}

func (r *record) Ended(j job, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended[j]++
	if err != nil {
		r.wrong++
	}
}

func jobs(n int) (list []job) {
	for i := range n {
		list = append(list, job(i))
	}
	return list
}

func do(_ context.Context, j job) (square, error) { return square{int(j), int(j) * int(j)}, nil }

func mustRead(t *testing.T, f *Folder[job, square]) []square {
	t.Helper()
	list, err := f.Read()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// An interrupted campaign keeps what was done, and the next one does only the rest, whether the results were packed meanwhile or not.
func TestResume(t *testing.T) {
	for _, packed := range []bool{false, true} {
		f := squares(t.TempDir())
		ctx, stop := context.WithCancel(context.Background())
		err := f.Run(ctx, jobs(20), 1, func(ctx context.Context, j job) (square, error) {
			if j == 7 {
				stop()
			}
			return do(ctx, j)
		}, newRecord())
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("interrupted: %v", err)
		}
		if n := len(mustRead(t, f)); n != 7 {
			t.Fatalf("%d results after seven jobs", n)
		}
		if packed {
			if err := f.Pack(); err != nil {
				t.Fatal(err)
			}
		}
		seen := newRecord()
		if err := f.Run(context.Background(), jobs(20), 3, do, seen); err != nil {
			t.Fatal(err)
		}
		if n := len(mustRead(t, f)); n != 20 || len(seen.started) != 13 || len(seen.ended) != 13 {
			t.Errorf("packed %v: %d results, %d jobs done again, want 20 and 13", packed, n, len(seen.started))
		}
	}
}

// Two campaigns in one folder share the jobs: each is done once, and both end when all are done.
func TestTwoShareAFolder(t *testing.T) {
	dir := t.TempDir()
	records := []*record{newRecord(), newRecord()}
	var running sync.WaitGroup
	for _, r := range records {
		running.Go(func() {
			err := squares(dir).Run(context.Background(), jobs(30), 2, func(ctx context.Context, j job) (square, error) {
				time.Sleep(5 * time.Millisecond)
				return do(ctx, j)
			}, r)
			if err != nil {
				t.Error(err)
			}
			if n := len(mustRead(t, squares(dir))); n != 30 {
				t.Errorf("a campaign ended with %d of 30 results", n)
			}
		})
	}
	running.Wait()
	for _, j := range jobs(30) {
		if n := records[0].started[j] + records[1].started[j]; n != 1 {
			t.Errorf("%s was done %d times", j, n)
		}
	}
	left, err := os.ReadDir(filepath.Join(dir, claimFolder))
	if err != nil || len(left) > 0 {
		t.Errorf("claims left: %v, %v", left, err)
	}
}

// A job that fails or panics is reported, and does not stop the others.
func TestFailuresDoNotStopOthers(t *testing.T) {
	f, seen := squares(t.TempDir()), newRecord()
	err := f.Run(context.Background(), jobs(6), 2, func(ctx context.Context, j job) (square, error) {
		switch j {
		case 2:
			return square{}, errors.New("no square today")
		case 4:
			panic("four")
		}
		return do(ctx, j)
	}, seen)
	if err == nil || !strings.Contains(err.Error(), "job 2: no square today") || !strings.Contains(err.Error(), "panic: four") {
		t.Errorf("got %v", err)
	}
	if n := len(mustRead(t, f)); n != 4 || seen.wrong != 2 {
		t.Errorf("%d results, %d wrong, want 4 and 2", n, seen.wrong)
	}
}

// A line that cannot be written ends the campaign. Otherwise hours of work would be lost.
func TestRunEndsWhenNothingCanBeKept(t *testing.T) {
	f, seen := squares(t.TempDir()), newRecord()
	err := f.Run(context.Background(), jobs(3), 1, func(ctx context.Context, j job) (square, error) {
		if err := os.MkdirAll(f.path(linesFile), 0o777); err != nil { // a folder cannot be written to
			t.Error(err)
		}
		return do(ctx, j)
	}, seen)
	if err == nil || len(seen.started) != 1 {
		t.Errorf("%v after %d jobs, want an error after the first", err, len(seen.started))
	}
}

// Wherever in its last line a process dies, the lines before it are kept and the next line is
// complete.
func TestUnfinishedLineIsCutOff(t *testing.T) {
	f := squares(t.TempDir())
	for i := range 2 {
		if err := f.Add(square{i + 1, (i + 1) * (i + 1)}); err != nil {
			t.Fatal(err)
		}
	}
	content, err := os.ReadFile(f.path(linesFile))
	if err != nil {
		t.Fatal(err)
	}
	first := bytes.IndexByte(content, '\n') + 1
	for end := first; end < len(content); end++ {
		f := squares(t.TempDir())
		if err := os.WriteFile(f.path(linesFile), content[:end], 0o666); err != nil {
			t.Fatal(err)
		}
		if got := mustRead(t, f); !slices.Equal(got, []square{{1, 1}}) {
			t.Errorf("cut at %d: %v", end, got)
		}
		if err := f.Add(square{3, 9}); err != nil {
			t.Fatal(err)
		}
		if got := mustRead(t, f); !slices.Equal(got, []square{{1, 1}, {3, 9}}) {
			t.Errorf("cut at %d, then added to: %v", end, got)
		}
	}
}

func TestBrokenLineIsNamed(t *testing.T) {
	for _, line := range []string{"{\"Of\":\n", "{\"Of\":2,\"Square\":5}\n"} {
		f := squares(t.TempDir())
		if err := f.Add(square{1, 1}); err != nil {
			t.Fatal(err)
		}
		file, err := os.OpenFile(f.path(linesFile), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		file.WriteString(line)
		file.Close()
		if _, err := f.Read(); err == nil || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("got %v, want an error that names line 2", err)
		}
	}
}

// Equal results give equal packed files, whatever their order. If two have the same key, the older one
// counts.
func TestPackIsOrdered(t *testing.T) {
	var files [][]byte
	for _, order := range [][]int{{1, 2, 3}, {3, 1, 2, 1}} {
		f := squares(t.TempDir())
		for _, i := range order {
			if err := f.Add(square{i, i * i}); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.Pack(); err != nil {
			t.Fatal(err)
		}
		if err := f.Pack(); err != nil {
			t.Errorf("packed again: %v", err)
		}
		content, err := os.ReadFile(f.path(packedFile))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, content)
		if got := mustRead(t, f); !slices.Equal(got, []square{{1, 1}, {2, 4}, {3, 9}}) {
			t.Errorf("unpacked: %v", got)
		}
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Error("the packed files differ")
	}
}

// The estimate uses the time that jobs of a kind took. Ended jobs count, interrupted ones do not.
func TestProgress(t *testing.T) {
	var out bytes.Buffer
	f := squares(t.TempDir())
	f.Seconds = func(square) float64 { return 10 }
	p := f.NewProgress(&out, false, jobs(6), []square{{0, 0}, {1, 1}}, 2)
	p.Started(2)
	p.Ended(2, context.Canceled)
	p.Started(3)
	p.Ended(3, errors.New("wrong"))
	if s, ok := p.secondsLeft(); !ok || s != 2*10/2 {
		t.Errorf("%v seconds left, want two jobs of 10 seconds by two workers", s)
	}
	p.Close()
	if text := out.String(); !strings.HasPrefix(text, "2/6, ") || !strings.Contains(text, "1 went wrong") {
		t.Errorf("%q", text)
	}
}
