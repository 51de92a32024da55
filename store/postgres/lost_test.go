package postgres

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/store/storetest"
)

// A wire is a network that can be cut.
type wire struct {
	answers atomic.Int32 // so many answers are lost, with their connections, after what was asked is done
	asks    atomic.Int32 // so many questions never arrive
	dead    atomic.Bool  // nobody is reached any more

	next atomic.Pointer[moment]
}

// A moment is when somebody else does something, once.
type moment struct {
	said   string // when this is sent; it is not in a name that the driver gives to a statement which it knows
	answer bool   // or received
	lost   bool   // with the connection, before the other does it
	other  func()
}

func (w *wire) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if w.dead.Load() {
		return nil, &net.OpError{Op: "dial", Net: network, Err: errors.New("connection refused")}
	}
	c, err := (&net.Dialer{}).DialContext(ctx, network, address)
	return &cutConn{c, w}, err
}

type cutConn struct {
	net.Conn
	wire *wire
}

func (c *cutConn) Write(p []byte) (int, error) {
	if take(&c.wire.asks) {
		c.Conn.Close()
		return 0, io.ErrClosedPipe
	}
	if c.meets(p, false) {
		return 0, io.ErrClosedPipe
	}
	return c.Conn.Write(p)
}

// meets lets happen what happens next if this is its moment, and says whether the connection is lost.
func (c *cutConn) meets(p []byte, answer bool) (lost bool) {
	m := c.wire.next.Load()
	if m == nil || m.answer != answer || !bytes.Contains(p, []byte(m.said)) || !c.wire.next.CompareAndSwap(m, nil) {
		return false
	}
	if m.lost {
		c.Conn.Close()
	}
	m.other()
	return m.lost
}

// done is how the server says that it has done something, and not only understood what it is asked.
var done = regexp.MustCompile("(SELECT|INSERT 0|DELETE) 1\x00")

// Read lets the answer come, so that the change is made, and loses it.
func (c *cutConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if done.Match(p[:n]) && take(&c.wire.answers) {
		c.Conn.Close()
		return 0, io.ErrUnexpectedEOF
	}
	if c.meets(p[:n], true) {
		return 0, io.ErrUnexpectedEOF
	}
	return n, err
}

func take(n *atomic.Int32) bool {
	for {
		left := n.Load()
		if left <= 0 {
			return false
		}
		if n.CompareAndSwap(left, left-1) {
			return true
		}
	}
}

// wired opens a store whose network can be cut.
func wired(t *testing.T, url string, patience time.Duration) (*Store, *wire) {
	t.Helper()
	w := &wire{}
	s, err := open(t.Context(), url, config{steps: embeddedSteps(), patience: patience, dial: w.dial})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, w
}

// A change whose answer is lost is there once, and acknowledged.
func TestLostAnswers(t *testing.T) {
	for _, cut := range []struct {
		name string
		do   func(*wire)
	}{
		{"answer", func(w *wire) { w.answers.Store(1) }},
		{"three answers", func(w *wire) { w.answers.Store(3) }},
		{"question", func(w *wire) { w.asks.Store(1) }},
	} {
		t.Run(cut.name, func(t *testing.T) {
			url := newSchema(t)
			s, w := wired(t, url, patience)
			steps := []struct {
				name string
				do   func() error
			}{
				{"create", func() error { return s.Create(t.Context(), storetest.Header("x", 1)) }},
				{"append", func() error {
					return s.Append(t.Context(), "x", 0, storetest.Numbered(0, storetest.Added("1"), storetest.Added("2"))...)
				}},
				{"touch", func() error { return s.Touch(t.Context(), "x", []int{1}, time.Now()) }},
				{"add a token", func() error { return s.AddToken(t.Context(), storetest.Token("a")) }},
				{"revoke it", func() error { return s.RevokeToken(t.Context(), "a") }},
				{"append more", func() error { return s.Append(t.Context(), "x", 2, storetest.Numbered(2, storetest.Added("3"))...) }},
			}
			for _, step := range steps {
				cut.do(w)
				if err := step.do(); err != nil {
					t.Errorf("%s: %v", step.name, err)
				}
			}
			if counted := countNotes(t, url); len(counted) != 3 || counted["1"] != 1 || counted["2"] != 1 || counted["3"] != 1 {
				t.Errorf("the log has %v", counted)
			}
			// And what is others' is not taken for ours, even if it says the same.
			cut.do(w)
			wantErr(t, "append", s.Append(t.Context(), "x", 2, storetest.Numbered(2, storetest.Added("3"))...), store.ErrConflict)
			cut.do(w)
			wantErr(t, "create", s.Create(t.Context(), storetest.Header("x", 1)), store.ErrExists)
			cut.do(w)
			wantErr(t, "add a token twice", errors.Join(s.AddToken(t.Context(), storetest.Token("b")), s.AddToken(t.Context(), storetest.Token("b"))), store.ErrTokenExists)
		})
	}
}

// When an answer is lost, somebody else may give the study's name to another one. That is left alone, and it is said whether the study that
// was meant was deleted or renamed.
func TestNameTakenWhileAnswerIsLost(t *testing.T) {
	remove := func(t *testing.T, s *Store) error { return s.Delete(t.Context(), "x") }
	rename := func(t *testing.T, s *Store) error { return s.Rename(t.Context(), "x", "y") }
	away := func(t *testing.T, other *Store) error { return other.Rename(t.Context(), "x", "z") }
	nothing := func(*testing.T, *Store) error { return nil }
	for name, c := range map[string]struct {
		do        func(*testing.T, *Store) error
		committed bool
		before    func(*testing.T, *Store) error // what others do first
		want      error
		old       string // where the study is afterwards
	}{
		"deleted":                    {remove, true, nothing, nil, ""},
		"renamed":                    {rename, true, nothing, nil, "y"},
		"not deleted, moved away":    {remove, false, away, store.ErrNotFound, "z"},
		"not renamed, moved away":    {rename, false, away, store.ErrNotFound, "z"},
		"not renamed, deleted":       {rename, false, remove, store.ErrNotFound, ""},
		"not deleted, others did it": {remove, false, remove, nil, ""},
		"not renamed, others did it": {rename, false, rename, nil, "y"},
	} {
		t.Run(name, func(t *testing.T) {
			url := newSchema(t)
			s, w := wired(t, url, patience)
			other := opened(t, url)
			fill(t, s, 2)
			said := "commit\x00"
			if c.committed {
				said = "COMMIT\x00"
			}
			w.next.Store(&moment{said: said, answer: c.committed, lost: true, other: func() {
				if err := errors.Join(c.before(t, other), other.Create(t.Context(), storetest.Header("x", 7))); err != nil {
					t.Error(err)
				}
			}})
			if err := c.do(t, s); !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
			if h, events, err := other.Read(t.Context(), "x", 0); err != nil || h.Total != 7 || len(events) != 0 {
				t.Errorf("the new study: %+v, %d events, %v", h, len(events), err)
			}
			list, err := other.List(t.Context())
			if at := slices.IndexFunc(list, func(h store.Header) bool { return h.Name == c.old }); err != nil || c.old == "" && len(list) != 1 || c.old != "" && at < 0 {
				t.Errorf("the old one should be %q: %+v, %v", c.old, list, err)
			}
		})
	}
}

// A study that was deleted before an answer was lost is not there, and a deletion that was made for nothing says so.
func TestDeletingNothingWhileQuestionIsLost(t *testing.T) {
	s, w := wired(t, newSchema(t), patience)
	w.asks.Store(1)
	wantErr(t, "delete", s.Delete(t.Context(), "x"), store.ErrNotFound)
}

// When the server does not come back, it is said that nobody knows.
func TestServerStaysAway(t *testing.T) {
	s, w := wired(t, newSchema(t), 300*time.Millisecond)
	fill(t, s, 1)
	w.dead.Store(true)
	w.answers.Store(100)
	err := s.Append(t.Context(), "x", 1, storetest.Numbered(1, storetest.Added("?"))...)
	if !errors.Is(err, store.ErrAway) || !strings.Contains(err.Error(), "is not known") {
		t.Errorf("got %v, want that it is not known", err)
	}
	t.Log(err)
	s.pool.Reset()                                                                       // patience may have ended before all connections were found dead
	err = s.Append(t.Context(), "x", 2, storetest.Numbered(2, storetest.Added("no"))...) // not even sent
	if !errors.Is(err, store.ErrAway) || strings.Contains(err.Error(), "is not known") {
		t.Errorf("got %v, want that it was not done", err)
	}
	t.Log(err)
	_, _, err = s.Read(t.Context(), "x", 0)
	wantErr(t, "read", err, store.ErrAway)

	w.dead.Store(false)
	w.answers.Store(0)
	if _, events, err := s.Read(t.Context(), "x", 0); err != nil || len(events) > 2 {
		t.Errorf("%d events, %v", len(events), err)
	}
}

func wantErr(t *testing.T, what string, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("%s: got error %v, want %v", what, got, want)
	}
}
