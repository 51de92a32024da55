package server

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

var (
	ada  = sender{"token ada", "group a"}
	alan = sender{"token alan", "group a"}
	bob  = sender{"token bob", "token bob"}
)

// Nobody gets more than their share, alone or as a group, and what is given back can be taken again.
func TestSharesAreLimited(t *testing.T) {
	s := newShares(10, 6, 4, 0)
	try := func(from sender, size int64) (func(), bool) {
		release, err := s.take(t.Context(), from, size)
		return release, err == nil
	}
	adas, _ := try(ada, 4)
	if _, ok := try(ada, 1); ok {
		t.Error("a sender got more than its share")
	}
	if _, ok := try(alan, 3); ok {
		t.Error("a group got more than its share")
	}
	if _, ok := try(alan, 2); !ok {
		t.Error("one of a group may not have the rest of its share")
	}
	if _, ok := try(bob, 4); !ok {
		t.Error("another may not have its share")
	}
	if _, ok := try(sender{"address 1", "address 1"}, 1); ok {
		t.Error("more was handed out than there is")
	}
	adas()
	adas()
	if _, ok := try(ada, 4); !ok || s.held != 10 {
		t.Errorf("of what was given back once, %d are held", s.held)
	}
}

// Those who wait are served in turns, by group and then by sender; who leaves is forgotten.
func TestSharesAreFair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTurns(3)
		release, err := s.take(t.Context(), ada, 1)
		if err != nil {
			t.Fatal(err)
		}
		order := make(chan string, 10)
		wait := func(ctx context.Context, from sender) {
			go func() {
				release, err := s.take(ctx, from, 1)
				if err != nil {
					return
				}
				order <- from.one
				release()
			}()
			synctest.Wait()
		}
		leaving, leave := context.WithCancel(t.Context())
		wait(leaving, bob)
		for _, from := range []sender{ada, ada, ada, alan, bob, bob} {
			wait(t.Context(), from)
		}
		leave()
		synctest.Wait()
		if _, err := s.take(t.Context(), ada, 1); !errors.Is(err, errCrowded) {
			t.Errorf("a fourth request of one sender waits: %v", err)
		}
		release()
		synctest.Wait()
		close(order)
		got := ""
		for one := range order {
			got += one + ", "
		}
		if want := "token bob, token alan, token bob, token ada, token ada, token ada, "; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		if s.held != 0 || len(s.ones)+len(s.groups)+len(s.served)+len(s.waiting) != 0 {
			t.Errorf("%+v", s)
		}
	})
}

// A large request is not overtaken for ever by small ones, and one who has used up their share keeps nobody waiting.
func TestLargeSharesComeToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShares(4, 4, 3, 10)
		adas, _ := s.take(t.Context(), ada, 3)
		go func() { _, _ = s.take(t.Context(), ada, 1) }() // waits for her own
		synctest.Wait()
		bobs := make(chan func())
		go func() { release, _ := s.take(t.Context(), bob, 3); bobs <- release }()
		synctest.Wait()
		small := make(chan struct{})
		go func() { _, _ = s.take(t.Context(), sender{"token c", "token c"}, 1); close(small) }()
		synctest.Wait()
		select {
		case <-small:
			t.Error("a small request has overtaken a large one")
		default:
		}
		adas()
		(<-bobs)()
		<-small
		synctest.Wait()
		if s.held != 2 {
			t.Errorf("%d are held", s.held)
		}
	})
}
