// Package webhook tells other programs what happens in studies: it posts notices as JSON, signed with a secret that both sides know.
//
// Post sends one notice, once. A Sender queues notices and retries while the receiver cannot be reached. Adding a notice never
// blocks.
package webhook

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/eke-bo/eke/study"
)

const (
	mostWaiting = 1000             // notices in the queue
	within      = 20 * time.Second // that one attempt may take
	firstPause  = time.Second      // before the second attempt; it doubles
	mostPause   = 5 * time.Minute
	tooOld      = time.Hour       // then a notice is not tried again
	grace       = 5 * time.Second // for what is in the queue when the sender is closed
)

// Sender sends notices to one address, in their order. While the receiver is away, it tries again, less and less often; a notice that it
// does not get within an hour is given up, and so is one for which the queue has no room.
type Sender struct {
	address, secret string
	log             *slog.Logger
	post            func(ctx context.Context, address, secret, id string, body []byte) error

	queue   chan item
	closing chan struct{}
	once    sync.Once
	cancel  context.CancelFunc
	ended   chan struct{}
}

type item struct {
	id   string
	body []byte
	at   time.Time
}

// NewSender starts a sender. Close it when you are done.
func NewSender(address, secret string, log *slog.Logger) *Sender {
	return newSender(address, secret, log, Post)
}

func newSender(address, secret string, log *slog.Logger, post func(ctx context.Context, address, secret, id string, body []byte) error) *Sender {
	s := &Sender{
		address: address, secret: secret, log: cmp.Or(log, slog.New(slog.DiscardHandler)), post: post,
		queue: make(chan item, mostWaiting), closing: make(chan struct{}), ended: make(chan struct{}),
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	go s.run(ctx)
	return s
}

// Send puts a notice into the queue. It never waits.
func (s *Sender) Send(n Notice) {
	body, err := json.Marshal(n)
	if err != nil {
		s.log.Warn("a notice cannot be written", "study", n.Study, "error", err)
		return
	}
	select {
	case s.queue <- item{rand.Text(), body, time.Now()}:
	default:
		s.log.Warn("a notice is not sent: too many wait for the webhook", "study", n.Study, "event", n.Event)
	}
}

// Close sends what is in the queue, once and for a few seconds at most, and ends the sender.
func (s *Sender) Close() {
	s.once.Do(func() { close(s.closing) })
	defer time.AfterFunc(grace, s.cancel).Stop()
	<-s.ended
}

func (s *Sender) run(ctx context.Context) {
	defer close(s.ended)
	defer s.cancel()
	for {
		select {
		case it := <-s.queue:
			s.deliver(ctx, it)
		case <-s.closing:
			for {
				select {
				case it := <-s.queue:
					s.deliver(ctx, it)
				default:
					return
				}
			}
		}
	}
}

// deliver sends a notice, and tries again while that may help.
func (s *Sender) deliver(ctx context.Context, it item) {
	for pause := firstPause; ; pause = min(2*pause, mostPause) {
		err := s.attempt(ctx, it)
		if err == nil {
			return
		}
		if refused, ok := errors.AsType[*Refused](err); ok && !refused.passes() || time.Since(it.at) >= tooOld {
			s.log.Warn("the webhook did not get a notice", "delivery", it.id, "error", err)
			return
		}
		s.log.Info("the webhook does not take a notice for now", "delivery", it.id, "error", err, "again_in", pause)
		select {
		case <-time.After(pause):
		case <-s.closing:
			s.log.Warn("the webhook did not get a notice", "delivery", it.id, "error", err)
			return
		}
	}
}

func (s *Sender) attempt(ctx context.Context, it item) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	return s.post(ctx, s.address, s.secret, it.id, it.body)
}

// Notice is what is told.
type Notice struct {
	Event study.Notice `json:"event"`
	Study string       `json:"study"`
	Text  string       `json:"text"`
	Trial any          `json:"trial,omitempty"`
}

// The headers of a notice. The ID is the same each time a notice is tried, so that a receiver can tell that it has it already.
const (
	timestampHeader = "Eke-Timestamp"
	signatureHeader = "Eke-Signature"
	idHeader        = "Eke-Delivery"
)

// Sign returns the signature of a body that is sent at a time, given in Unix seconds. It proves to whoever knows the secret that the body
// is ours, and when it was sent.
func Sign(secret, at string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(at + "."))
	mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

// Refused is the answer of a receiver that does not take a notice.
type Refused struct{ Status int }

func (r *Refused) Error() string {
	return fmt.Sprintf("it answered %d %s", r.Status, http.StatusText(r.Status))
}

// passes says whether the same notice may be taken later.
func (r *Refused) passes() bool {
	return r.Status >= 500 || r.Status == http.StatusRequestTimeout || r.Status == http.StatusTooEarly || r.Status == http.StatusTooManyRequests
}

// client follows no redirects: a notice goes where it was sent, and nowhere else.
var client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// Post sends a body, once. Without a secret it is not signed. An error does not name the address, which may have a secret of its own.
func Post(ctx context.Context, address, secret, id string, body []byte) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return errors.New("it is not an address")
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "eke")
	if id != "" {
		r.Header.Set(idHeader, id)
	}
	if secret != "" {
		at := strconv.FormatInt(time.Now().Unix(), 10)
		r.Header.Set(timestampHeader, at)
		r.Header.Set(signatureHeader, Sign(secret, at, body))
	}
	answer, err := client.Do(r)
	if sending, ok := errors.AsType[*url.Error](err); ok {
		err = sending.Err
	}
	if err != nil {
		return fmt.Errorf("it cannot be reached: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode >= 300 {
		return &Refused{answer.StatusCode}
	}
	return nil
}
