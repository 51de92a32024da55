package postgres

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/store/storetest"
)

// What the server says in the middle of an append, and what is made of it. A trigger says it in the server's stead.
func TestServerSays(t *testing.T) {
	for code, want := range map[string]error{
		"53100": store.ErrFull,
		"25006": store.ErrReadOnly,
		"42501": store.ErrReadOnly,
		"XX001": store.ErrDamaged,
		"23514": store.ErrDamaged,
		"57014": nil,
		"XX000": nil,
	} {
		t.Run(code, func(t *testing.T) {
			url := newSchema(t)
			s := opened(t, url)
			fill(t, s, 1)
			tell(t, fmt.Sprintf(`SET search_path = %[1]s; CREATE FUNCTION says() RETURNS trigger LANGUAGE plpgsql AS
				$$ BEGIN RAISE EXCEPTION 'so it is' USING ERRCODE = '%[2]s'; END $$;
				CREATE TRIGGER says AFTER INSERT ON events EXECUTE FUNCTION says()`, schemaOf(url), code))
			err := s.Append(t.Context(), "x", 1, storetest.Numbered(1, storetest.Added("no"))...)
			if err == nil || want != nil && !errors.Is(err, want) {
				t.Errorf("got %v, want %v", err, want)
			}
			t.Log(err)
			tell(t, "DROP TRIGGER says ON "+schemaOf(url)+".events")
			if err := s.Append(t.Context(), "x", 1, storetest.Numbered(1, storetest.Added("yes"))...); err != nil {
				t.Errorf("when the trouble is over: %v", err)
			}
		})
	}
}

// held keeps the head of a log locked, as a migration or a backup might.
func held(t *testing.T, url string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), withoutSchema(url))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	if _, err := conn.Exec(t.Context(), "BEGIN; SELECT FROM "+schemaOf(url)+".heads FOR UPDATE"); err != nil {
		t.Fatal(err)
	}
}

func TestWaitingForALockCanBeCancelled(t *testing.T) {
	url := newSchema(t)
	s, _ := wired(t, url, time.Hour) // without being cancelled it would wait for so long
	fill(t, s, 0)
	held(t, url)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	wantErr(t, "append", s.Append(ctx, "x", 0, storetest.Numbered(0, storetest.Added("no"))...), context.DeadlineExceeded)
	if _, events, err := s.Read(t.Context(), "x", 0); err != nil || len(events) > 0 {
		t.Errorf("reading waits for no lock: %v, %v", events, err)
	}
}

func TestPatienceEnds(t *testing.T) {
	url := newSchema(t)
	s, _ := wired(t, url, 300*time.Millisecond)
	fill(t, s, 0)
	held(t, url)
	err := s.Append(t.Context(), "x", 0, storetest.Numbered(0, storetest.Added("no"))...)
	wantErr(t, "append", err, store.ErrBusy)
	t.Log(err)
}

// One connection is enough for everything, and when there is none left to be had that is said. The server has a limit for a role, and
// says the same as when it has no more for anybody: other tests use it at the same time.
func TestFewConnections(t *testing.T) {
	const most = 3
	url := newSchema(t)
	fill(t, opened(t, url+"&pool_max_conns=1"), 3)
	name := fmt.Sprintf("role_%016x", rand.Uint64())
	theirs := role(t, url, name)
	tell(t, fmt.Sprintf("ALTER ROLE %s CONNECTION LIMIT %d", name, most),
		"GRANT USAGE ON SCHEMA "+schemaOf(url)+" TO "+name, "GRANT ALL ON ALL TABLES IN SCHEMA "+schemaOf(url)+" TO "+name)
	var crowd []*pgx.Conn
	for range most {
		c, err := pgx.Connect(t.Context(), withoutSchema(theirs))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close(context.Background())
		crowd = append(crowd, c)
	}
	_, err := open(t.Context(), theirs, config{steps: embeddedSteps(), patience: 200 * time.Millisecond})
	wantErr(t, "open", err, store.ErrAway)
	t.Log(err)
	time.AfterFunc(300*time.Millisecond, func() { crowd[0].Close(context.Background()) })
	s, err := open(t.Context(), theirs, config{steps: embeddedSteps(), patience: 5 * time.Minute}) // waits
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
}

// What durability rests on holds whatever the habits of the role are.
func TestSettings(t *testing.T) {
	url := newSchema(t)
	s := opened(t, url+"&synchronous_commit=off&default_transaction_isolation=serializable")
	for setting, want := range map[string]string{"synchronous_commit": "on", "transaction_isolation": "read committed", "lock_timeout": "20s", "search_path": `"` + schemaOf(url) + `"`} {
		var got string
		if err := s.pool.QueryRow(t.Context(), "SHOW "+setting).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %q, %v; want %q", setting, got, err, want)
		}
	}
}

// awaitLock waits until somebody waits for a table of a test's schema, or for a row of one, or until what should wait is over.
func awaitLock(t *testing.T, url string, over <-chan error) (err error, isOver bool) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), withoutSchema(url))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	for waits := false; !waits; {
		select {
		case err := <-over:
			return err, true
		case <-time.After(time.Millisecond):
		}
		err := conn.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_locks w JOIN pg_locks l ON l.pid = w.pid JOIN pg_class c ON c.oid = l.relation
			WHERE NOT w.granted AND c.relnamespace = $1::regnamespace)`, schemaOf(url)).Scan(&waits)
		if err != nil {
			t.Fatal(err)
		}
	}
	return nil, false
}

// What is read is of one moment, even if the study is renamed after half of it was read.
func TestRenamedWhileRead(t *testing.T) {
	f := store.File{Trial: 1, Name: "log"}
	for name, c := range map[string]struct {
		table string // where the reader has to wait
		read  func(context.Context, *Store) (int, error)
	}{
		"events": {"events", func(ctx context.Context, s *Store) (int, error) {
			_, events, err := s.Read(ctx, "x", 0)
			return len(events), err
		}},
		"files": {"files", func(ctx context.Context, s *Store) (int, error) {
			list, err := s.Files(ctx, "x", 1)
			return len(list), err
		}},
		"a file": {"files", func(ctx context.Context, s *Store) (int, error) {
			_, parts, err := s.ReadFile(ctx, "x", 1, "log", 0, 100)
			return len(parts), err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			url := newSchema(t)
			s, other := opened(t, url+"&pool_max_conns=1"), opened(t, url)
			fill(t, s, 1)
			if _, err := s.AppendFile(t.Context(), "x", f, 0, []byte("hello"), store.FileLimits{Most: 100, Keep: 100}); err != nil {
				t.Fatal(err)
			}
			if n, err := c.read(t.Context(), s); n != 1 || err != nil { // the statements are prepared from here on
				t.Fatal(n, err)
			}
			tx, err := other.pool.Begin(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer tx.Rollback(context.Background())
			var id, last int64
			if _, err := tx.Exec(t.Context(), "LOCK TABLE "+c.table); err != nil {
				t.Fatal(err)
			}
			if err := tx.QueryRow(t.Context(), "SELECT study, version FROM heads").Scan(&id, &last); err != nil {
				t.Fatal(err)
			}
			n, over := 0, make(chan error, 1)
			go func() {
				var err error
				n, err = c.read(t.Context(), s)
				over <- err
			}()
			if err, early := awaitLock(t, url, over); early {
				t.Fatalf("it did not wait: %v", err)
			}
			if err := errors.Join(other.move(t.Context(), tx, id, last, "x", "y"), tx.Commit(t.Context())); err != nil {
				t.Fatal(err)
			}
			if err := <-over; !errors.Is(err, store.ErrNotFound) && (err != nil || n != 1) {
				t.Errorf("%d, %v: neither what was there nor that it is gone", n, err)
			}
		})
	}
}

// A trial may be touched while its study goes. An older eke takes no lock that keeps others from that.
func TestGoneWhileTouched(t *testing.T) {
	url := newSchema(t)
	s, other := opened(t, url), opened(t, url)
	fill(t, s, 0)
	tell(t, fmt.Sprintf(`SET search_path = %s; CREATE FUNCTION waits() RETURNS trigger LANGUAGE plpgsql AS
		$$ BEGIN LOCK TABLE tokens IN ACCESS SHARE MODE; RETURN NEW; END $$;
		CREATE TRIGGER waits BEFORE INSERT ON touched FOR EACH ROW EXECUTE FUNCTION waits()`, schemaOf(url)))
	tx, err := other.pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(context.Background())
	var id int64
	if _, err := tx.Exec(t.Context(), "LOCK TABLE tokens"); err != nil {
		t.Fatal(err)
	}
	if err := tx.QueryRow(t.Context(), "SELECT study FROM heads").Scan(&id); err != nil {
		t.Fatal(err)
	}
	over := make(chan error, 1)
	go func() { over <- s.Touch(t.Context(), "x", []int{1}, time.Now()) }()
	if err, early := awaitLock(t, url, over); early {
		t.Fatalf("it did not wait: %v", err)
	}
	if err := errors.Join(remove(t.Context(), tx, id, 0), tx.Commit(t.Context())); err != nil {
		t.Fatal(err)
	}
	wantErr(t, "touch", <-over, store.ErrNotFound)
}

// Neither is a study in the way of its own end if one of its trials is touched in the middle of that.
func TestTouchedWhileItGoes(t *testing.T) {
	for name, do := range map[string]func(*Store) error{
		"deleted": func(s *Store) error { return s.Delete(t.Context(), "x") },
		"renamed": func(s *Store) error { return s.Rename(t.Context(), "x", "y") },
	} {
		for before, trials := range map[string][]int{"DELETE FROM studies": {2}, "DELETE FROM touched": {1, 2}} { // trial 2 for the first time
			t.Run(name+" "+before, func(t *testing.T) {
				url := newSchema(t)
				const stays = "&deadlock_timeout=1h" // nobody ends a deadlock, so there must be none
				s, w := wired(t, url+stays, patience)
				other := opened(t, url+stays)
				fill(t, s, 1)
				if err := s.Touch(t.Context(), "x", []int{1}, time.Now()); err != nil {
					t.Fatal(err)
				}
				over := make(chan error, 1)
				w.next.Store(&moment{said: before, other: func() {
					go func() { over <- other.Touch(t.Context(), "x", trials, time.Now()) }()
					if err, early := awaitLock(t, url, over); early {
						over <- err
					}
				}})
				if err := do(s); err != nil {
					t.Errorf("%s: %v", name, err)
				}
				wantErr(t, "touch", <-over, store.ErrNotFound)
			})
		}
	}
}

// While the end of a study waits, as for a VACUUM, trials are touched, its own and others'. Its new name has what was noted meanwhile.
func TestTouchedWhileItWaits(t *testing.T) {
	for name, do := range map[string]func(*Store) error{
		"deleted": func(s *Store) error { return s.Delete(t.Context(), "x") },
		"renamed": func(s *Store) error { return s.Rename(t.Context(), "x", "y") },
	} {
		t.Run(name, func(t *testing.T) {
			url := newSchema(t)
			s, other := opened(t, url), opened(t, url)
			fill(t, s, 1)
			if err := s.Create(t.Context(), storetest.Header("another", 1)); err != nil {
				t.Fatal(err)
			}
			tx, err := other.pool.Begin(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer tx.Rollback(context.Background())
			if _, err := tx.Exec(t.Context(), "LOCK TABLE events IN SHARE UPDATE EXCLUSIVE MODE"); err != nil { // VACUUM takes this lock
				t.Fatal(err)
			}
			over := make(chan error, 1)
			go func() { over <- do(s) }()
			if err, early := awaitLock(t, url, over); early {
				t.Fatalf("it did not wait: %v", err)
			}
			at := time.Now()
			for _, study := range []string{"x", "another"} {
				if err := other.Touch(t.Context(), study, []int{1}, at); err != nil {
					t.Errorf("a trial of %s: %v", study, err)
				}
			}
			if err := errors.Join(tx.Rollback(t.Context()), <-over); err != nil {
				t.Fatal(err)
			}
			if name == "renamed" {
				if touched, err := s.Touched(t.Context(), "y"); err != nil || !touched[1].Equal(at) {
					t.Errorf("touched at %v, %v; want %v", touched, err, at)
				}
			}
		})
	}
}

// A study that is in the way of another one may be gone when it is asked whose it is.
func TestGoneWhileCreated(t *testing.T) {
	url := newSchema(t)
	s, w := wired(t, url, patience)
	other := opened(t, url)
	fill(t, other, 0)
	w.next.Store(&moment{said: "SELECT writer =", other: func() {
		if err := other.Delete(t.Context(), "x"); err != nil {
			t.Error(err)
		}
	}})
	wantErr(t, "create", s.Create(t.Context(), storetest.Header("x", 1)), store.ErrExists)
}

// Names that the server would not take for text are nobody's.
func TestNamesThatAreNoText(t *testing.T) {
	s := opened(t, newSchema(t))
	for _, name := range []string{"a\xff", "a\x00b"} {
		_, _, err := s.Read(t.Context(), name, 0)
		wantErr(t, "read", err, store.ErrNotFound)
		wantErr(t, "append", s.Append(t.Context(), name, 0), store.ErrNotFound)
		wantErr(t, "touch", s.Touch(t.Context(), name, []int{1}, time.Now()), store.ErrNotFound)
		_, err = s.Touched(t.Context(), name)
		wantErr(t, "touched", err, store.ErrNotFound)
		wantErr(t, "revoke", s.RevokeToken(t.Context(), name), store.ErrNoToken)
	}
	if err := s.Create(t.Context(), storetest.Header("x", 1)); err != nil {
		t.Fatal(err)
	}
	if err := s.Touch(t.Context(), "x", []int{3, 1, 3, 2, 1}, time.Now()); err != nil {
		t.Errorf("touching the same twice: %v", err)
	}
}
