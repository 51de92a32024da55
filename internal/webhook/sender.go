package webhook

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"time"
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
