package webhook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/eke-bo/eke/study"
)

// A receiver that knows the secret can tell that a notice is ours and unchanged, and when it was sent.
func TestSigned(t *testing.T) {
	var header http.Header
	var body []byte
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		header = r.Header
		body, _ = io.ReadAll(r.Body)
	}))
	defer hook.Close()
	s := NewSender(hook.URL, "hush", nil)
	s.Send(Notice{Event: study.NoticeBest, Study: "kiln", Text: "new best"})
	s.Close()
	if want := `{"event":"best","study":"kiln","text":"new best"}`; string(body) != want {
		t.Errorf("%s", body)
	}
	at := header.Get("Eke-Timestamp")
	if got := header.Get("Eke-Signature"); got != Sign("hush", at, body) || got == Sign("hash", at, body) || got == Sign("hush", at+"0", body) || header.Get("Eke-Delivery") == "" {
		t.Errorf("%v", header)
	}
	// printf '1700000000.{"event":"best"}' | openssl dgst -sha256 -hmac hush
	if got := Sign("hush", "1700000000", []byte(`{"event":"best"}`)); got != "sha256=2c52a36802df02ff19414d7f70bb13c8a32574f738b46fa128733eb9db2bb6f0" {
		t.Errorf("%s", got)
	}
}

// An error does not tell the address, whose path is a password at many receivers.
func TestErrorsHideTheAddress(t *testing.T) {
	hook := httptest.NewServer(http.NotFoundHandler())
	hook.Close()
	for _, address := range []string{hook.URL + "/services/T0/secret", "http://127.0.0.1:1/secret", "http://secret\x7f/"} {
		if err := Post(t.Context(), address, "", "", nil); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%v", err)
		}
	}
}

// A notice goes where the administrator said, not where the receiver says.
func TestNoRedirects(t *testing.T) {
	reached := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer other.Close()
	hook := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer hook.Close()
	if err := Post(t.Context(), hook.URL, "hush", "", []byte("{}")); err == nil || reached {
		t.Errorf("%v, %v", err, reached)
	}
}

// receiver fails as it is told, and notes what it gets and when.
type receiver struct {
	mu   sync.Mutex
	fail func(attempt int) error
	ids  []string
	at   []time.Time
	got  []string
}

func (r *receiver) post(_ context.Context, _, _, id string, body []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ids, r.at = append(r.ids, id), append(r.at, time.Now())
	if err := r.fail(len(r.ids)); err != nil {
		return err
	}
	r.got = append(r.got, string(body))
	return nil
}

func texts(n int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprintf(`{"event":"best","study":"kiln","text":"%d"}`, i))
	}
	return list
}

func send(s *Sender, n int) {
	for i := range n {
		s.Send(Notice{Event: study.NoticeBest, Study: "kiln", Text: fmt.Sprint(i)})
	}
}

// While the receiver is away, the notice is tried again after 1, 2, 4 … seconds, and the others follow in their order. None comes twice.
func TestTriesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &receiver{fail: func(attempt int) error {
			if attempt <= 4 {
				return []error{errors.New("away"), &Refused{503}, &Refused{429}, &Refused{408}}[attempt-1]
			}
			return nil
		}}
		s := newSender("", "", nil, r.post)
		begin := time.Now()
		send(s, 3)
		time.Sleep(time.Minute)
		s.Close()
		if fmt.Sprint(r.got) != fmt.Sprint(texts(3)) {
			t.Errorf("%v", r.got)
		}
		for i, after := range []float64{0, 1, 3, 7, 15, 15, 15} {
			if r.at[i].Sub(begin).Seconds() != after {
				t.Errorf("attempt %d after %v", i+1, r.at[i].Sub(begin))
			}
		}
		if r.ids[0] != r.ids[4] || r.ids[4] == r.ids[5] {
			t.Errorf("%v", r.ids)
		}
	})
}

// What the receiver will never take is not tried again, and does not keep the others.
func TestGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &receiver{fail: func(attempt int) error {
			if attempt == 1 {
				return &Refused{404}
			}
			return nil
		}}
		s := newSender("", "", nil, r.post)
		send(s, 2)
		synctest.Wait()
		s.Close()
		if len(r.ids) != 2 || fmt.Sprint(r.got) != fmt.Sprint(texts(2)[1:]) {
			t.Errorf("%v %v", r.ids, r.got)
		}
	})
}

// A receiver that never answers costs nobody time, and bounded memory: what the queue cannot hold is dropped, and the log says so. After
// an hour a notice is given up.
func TestNobodyWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		r := &receiver{fail: func(int) error { return errors.New("away") }}
		s := newSender("", "", slog.New(slog.NewTextHandler(&log, nil)), r.post)
		begin := time.Now()
		send(s, mostWaiting+100)
		if time.Since(begin) != 0 {
			t.Errorf("sending took %v", time.Since(begin))
		}
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		s.Close()
		dropped := strings.Count(log.String(), "too many wait")
		if dropped < 99 || dropped > 100 || strings.Count(log.String(), "did not get") < mostWaiting || len(r.got) != 0 {
			t.Errorf("%d dropped, %d given up", dropped, strings.Count(log.String(), "did not get"))
		}
	})
}

// A sender that is closed sends what it has, but does not wait for a receiver that is away.
func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, c := range map[string]struct {
			post func(context.Context, string, string, string, []byte) error
			most time.Duration
		}{
			"fine": {func(context.Context, string, string, string, []byte) error { return nil }, 0},
			"away": {func(context.Context, string, string, string, []byte) error { return errors.New("away") }, 0},
			"mute": {func(ctx context.Context, _, _, _ string, _ []byte) error { <-ctx.Done(); return ctx.Err() }, grace},
		} {
			s := newSender("", "", nil, c.post)
			send(s, 10)
			begin := time.Now()
			s.Close()
			s.Close()
			if took := time.Since(begin); took > c.most {
				t.Errorf("%s: it took %v", name, took)
			}
		}
	})
}
