package worker

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"math/rand/v2"
	"net/http"
	"time"
)

// Pauses between attempts: short at first, as a restart takes a moment, and never so long that a server which is back
// waits for its workers.
const firstPause, longestPause = 100 * time.Millisecond, 10 * time.Second

// isPassing says whether an error is one that waiting helps with: a server that is being restarted, a network that is gone.
func isPassing(err error) bool {
	var p *Problem
	if errors.As(err, &p) {
		return p.Status >= 500 || p.Status == http.StatusTooManyRequests || p.Status == http.StatusRequestTimeout
	}
	var (
		certificate *tls.CertificateVerificationError
		unknown     x509.UnknownAuthorityError
		plain       tls.RecordHeaderError
	)
	return !errors.As(err, &certificate) && !errors.As(err, &unknown) && !errors.As(err, &plain) && !errors.Is(err, context.Canceled)
}

// passes is isPassing once the server has been spoken to: an answer that is not its own comes from something in between, such as a
// proxy whose server is being restarted, or a network that wants a password first.
func (w *worker) passes(err error) bool {
	var p *Problem
	return isPassing(err) || w.shown != nil && errors.As(err, &p) && p.Code == ""
}

// insist repeats a request until it is answered with something that waiting does not change, or ctx ends.
func (w *worker) insist(ctx context.Context, request func() error) error {
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		err := request()
		if err == nil {
			w.reached()
		}
		if err == nil || !w.passes(err) || ctx.Err() != nil {
			return err
		}
		w.unreached(err)
		wait(ctx, nil, max(retryAfter(err), pause/2+rand.N(pause))) // not all workers at once
		if ctx.Err() != nil {
			return err
		}
	}
}

func retryAfter(err error) time.Duration {
	var p *Problem
	if errors.As(err, &p) {
		return p.retryAfter
	}
	return 0
}

// reached and unreached say once that the server is gone, and once that it is back.
func (w *worker) reached() {
	w.mu.Lock()
	was := w.gone
	w.gone = false
	w.mu.Unlock()
	if was {
		w.tell(Back, nil, "the server answers again")
	}
}

func (w *worker) unreached(err error) {
	w.mu.Lock()
	was := w.gone
	w.gone = true
	w.mu.Unlock()
	if !was {
		w.tell(Trouble, nil, err.Error()+"; it is tried again, and running trials go on")
	}
}

func wait(ctx context.Context, change <-chan struct{}, most time.Duration) {
	late := time.NewTimer(most)
	defer late.Stop()
	select {
	case <-ctx.Done():
	case <-change:
	case <-late.C:
	}
}
