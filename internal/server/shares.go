package server

import (
	"bytes"
	"context"
	"io"
	"maps"
	"net"
	"net/http"
	"path"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/fault"
)

// lane is what requests of one kind share. A body is counted by what it says of its size while it arrives, which may take as long as
// its sender likes and costs a byte for a byte. Once it is there it is counted again: read, it may cost hundreds of times as much, and
// few large ones are read at once.
type lane struct {
	requests *shares // under way
	arriving *shares // bytes of bodies
	reading  *shares // bytes of bodies
}

// lanes has one for what keeps trials alive and ends them, which no upload can block, and one for all the rest.
type lanes struct{ urgent, usual lane }

// Of all connections, a token may use a quarter for requests under way, and a group half. Nobody waits for a place.
const oneRequests, groupRequests = mostConns / 4, mostConns / 2

// Bytes. Sixteen tokens of eight groups can send as much as they may at once, and those of any other still get through.
const (
	mostArriving, groupArriving, oneArriving = 64 * api.MaxBody, 8 * api.MaxBody, 4 * api.MaxBody
	mostReading, groupReading, oneReading    = 4 * api.MaxBody, 3 * api.MaxBody, 2 * api.MaxBody

	// maxReportBody is what a heartbeat or a result may have: a note of api.MaxNote characters, however they are written.
	maxReportBody = 64 << 10

	mostReports, groupReports, oneReports = 128 * maxReportBody, 16 * maxReportBody, 8 * maxReportBody
)

// patience is how long a body waits for its share.
const patience = 20 * time.Second

func newLanes() lanes {
	requests := func() *shares { return newShares(2*mostConns, groupRequests, oneRequests, 0) } // the listener limits all together
	return lanes{
		urgent: lane{requests(), newShares(mostReports, groupReports, oneReports, oneRequests), newShares(mostReports/16, groupReports/4, oneReports/4, oneRequests)},
		usual:  lane{requests(), newShares(mostArriving, groupArriving, oneArriving, oneRequests), newShares(mostReading, groupReading, oneReading, oneRequests)},
	}
}

// of is the lane of a request.
func (l *lanes) of(r *http.Request) *lane {
	if isUrgent(r) {
		return &l.urgent
	}
	return &l.usual
}

// isUrgent reports whether a request keeps a trial alive or ends it.
func isUrgent(r *http.Request) bool {
	switch path.Base(r.URL.Path) {
	case "heartbeat", "tell", "fail", "cost":
		return isOnTrial(r)
	}
	return false
}

// isOnTrial reports whether a request says something of a trial.
func isOnTrial(r *http.Request) bool {
	return r.Method == http.MethodPost && strings.HasPrefix(r.URL.Path, api.Prefix) && strings.Contains(r.URL.Path, "/trials/")
}

// enter counts a request as one that is under way.
func (l *lane) enter(from sender) (leave func(), refused *api.Problem) {
	leave, err := l.requests.take(context.Background(), from, 1)
	if err != nil {
		return nil, crowded("%d requests of this token or address, or %d of its group, are under way, the most that this server allows", oneRequests, groupRequests)
	}
	return leave, nil
}

// fetch reads the body of a request, when there is a share for it, into memory. The share is held until the request is answered.
func (l *lane) fetch(r *http.Request, from sender, most int64) (release func(), refused *api.Problem) {
	size := r.ContentLength
	switch {
	case size == 0:
		return func() {}, nil
	case size > most:
		return nil, api.NewProblem(fault.TooLarge, "send less at once", "the body has %d bytes, and at most %d are read", size, most)
	case size < 0: // nobody knows
		size = most
	}
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	arrived, err := l.arriving.take(ctx, from, size)
	if err != nil {
		return nil, crowded("the bodies of this token's or address's requests have more than %d bytes together, or those of its group more than %d", l.arriving.one, l.arriving.group)
	}
	defer arrived()
	var body bytes.Buffer
	_, failed := io.Copy(&body, io.LimitReader(r.Body, most))
	r.Body = io.NopCloser(io.MultiReader(&body, failure{failed}))
	ctx, cancel = context.WithTimeout(r.Context(), patience) // it has arrived, and its sender is not to blame for the time
	defer cancel()
	release, err = l.reading.take(ctx, from, max(int64(body.Len()), 1))
	if err != nil {
		return nil, crowded("too many large requests are read at once")
	}
	return release, nil
}

// failure is the rest of a body that could not be read.
type failure struct{ err error }

func (f failure) Read([]byte) (int, error) {
	if f.err == nil {
		return 0, io.EOF
	}
	return 0, f.err
}

func crowded(format string, args ...any) *api.Problem {
	return api.NewProblem(fault.TooMany, "try again later", format, args...).WithHeader("Retry-After", soon)
}

// rate limits how many requests a client may send per second and at once. Each request uses some of the client's time, and a
// client may be ahead of the clock, but not by much.
type rate struct {
	each, ahead time.Duration

	mu   sync.Mutex
	used map[string]time.Time // until when each client has used its time
}

// rates limits senders and groups. Heartbeats and results have a rate of their own.
type rates struct{ one, group *rate }

// A group may send twice as many requests as one of its tokens.
func newRates(perSecond float64) rates { return rates{newRate(perSecond), newRate(2 * perSecond)} }

// take reports whether one more request may be sent.
func (r rates) take(from sender, urgent bool) bool {
	if urgent {
		from = sender{"urgent " + from.one, "urgent " + from.group}
	}
	return r.one.take(from.one) && r.group.take(from.group)
}

// mostClients is how many clients are remembered. If there are more, those who are not ahead are forgotten, which makes no
// difference to them; if there are none, all are.
const mostClients = 10000

func newRate(perSecond float64) *rate {
	each := float64(time.Second) / perSecond
	return &rate{each: time.Duration(each), ahead: time.Duration(each * max(2*perSecond, 1)), used: map[string]time.Time{}}
}

// take reports whether a client may send one more request.
func (r *rate) take(client string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	until, known := r.used[client]
	if !known && len(r.used) >= mostClients {
		r.forget(now)
	}
	if until.Before(now) {
		until = now
	}
	until = until.Add(r.each)
	if until.Sub(now) > r.ahead {
		return false
	}
	r.used[client] = until
	return true
}

func (r *rate) forget(now time.Time) {
	maps.DeleteFunc(r.used, func(_ string, until time.Time) bool { return until.Before(now) })
	if len(r.used) >= mostClients {
		clear(r.used)
	}
}

// clientOf is the client that a request counts for: its address without the port. With IPv6 it is the whole network, since one
// machine can use as many addresses as it likes.
func clientOf(remote string) string {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		return remote
	}
	if ip := net.ParseIP(host); ip != nil && ip.To4() == nil {
		return ip.Mask(net.CIDRMask(64, 128)).String()
	}
	return host
}

// A long answer takes the processor while it is written, and memory until it is sent, which may take as long as its receiver likes. So few of
// them are written at once: for all together, and for one token or group.
const mostAnswers, someAnswers = 8, 3

// long describes an operation with long answers.
func (s *Server) long(path, id, summary string, need Role) huma.Operation {
	op := operation(http.MethodGet, path, id, summary, need)
	op.Middlewares = huma.Middlewares{s.fewAtOnce}
	return op
}

// fewAtOnce is for operations with long answers.
func (s *Server) fewAtOnce(ctx huma.Context, next func(huma.Context)) {
	_, w := humago.Unwrap(ctx)
	sent, refused := s.beginAnswer(ctx.Context())
	if refused != nil {
		write(w, refused)
		return
	}
	defer sent()
	next(ctx)
}

// beginAnswer waits until a long answer may be written.
func (s *Server) beginAnswer(ctx context.Context) (sent func(), refused *api.Problem) {
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	sent, err := s.answers.take(waiting, senderIn(ctx), 1)
	if err != nil {
		return nil, crowded("%d long answers are being sent, or %d to one token or group, the most that this server sends at once", mostAnswers, someAnswers)
	}
	return sent, nil
}

// newThinkers is for choices of trials, each of which uses as many processors as there are. Of one token or group there are as many at once
// as there are processors, so that another's choice soon gets its share of them.
func newThinkers() *shares {
	some := int64(max(runtime.GOMAXPROCS(0), 2))
	return newShares(2*some, some, some, oneRequests)
}

// sender is whom a request counts for: its token, wherever that is used, and the token's group. A token without a group is a group of
// its own. A request without a token counts for its address.
type sender struct{ one, group string }

// shares hands out something scarce, such as memory, so that no sender and no group can take all of it. Whoever was served longest ago
// is next: one who asks for much waits for their own requests, and others wait for at most a few of them.
type shares struct {
	all, group, one int64 // how much may be held: by all together, by a group, by one sender
	waiters         int   // how many requests of one sender may wait

	mu      sync.Mutex
	held    int64
	groups  map[string]int64 // what each group holds
	ones    map[string]int64 // what each sender holds
	waiting []*waiter        // in the order in which they came
	served  map[string]int64 // when each sender and each group was served last, in turns
	turn    int64
}

type waiter struct {
	from  sender
	size  int64
	ready chan struct{}
}

var errCrowded = crowded("too many requests of this token or address wait for their turn")

func newShares(all, group, one int64, waiters int) *shares {
	return &shares{all: all, group: group, one: one, waiters: waiters, groups: map[string]int64{}, ones: map[string]int64{}, served: map[string]int64{}}
}

// newTurns is for what one request does at a time.
func newTurns(waiters int) *shares { return newShares(1, 1, 1, waiters) }

// take waits until there is a share for a request. It is at most as large as one sender's.
func (s *shares) take(ctx context.Context, from sender, size int64) (release func(), err error) {
	w := &waiter{from, size, make(chan struct{})}
	s.mu.Lock()
	s.waiting = append(s.waiting, w)
	s.serve()
	crowded := s.waitsFor(from) > s.waiters && s.remove(w)
	s.mu.Unlock()
	if crowded {
		return nil, errCrowded
	}
	release = sync.OnceFunc(func() { s.giveBack(w) })
	select {
	case <-w.ready:
		return release, nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	gone := s.remove(w)
	s.serve() // a smaller one may have waited behind it
	s.mu.Unlock()
	if !gone { // it was served at the last moment
		release()
	}
	return nil, ctx.Err()
}

// serve lets those go who may. The one whose turn it is waits for room that others hold, and nobody overtakes it; one who waits for its own
// share is overtaken.
func (s *shares) serve() {
	for {
		var next *waiter
		for _, w := range s.waiting {
			mine := s.ones[w.from.one]+w.size <= s.one && s.groups[w.from.group]+w.size <= s.group
			if mine && (next == nil || s.isBefore(w.from, next.from)) {
				next = w
			}
		}
		if next == nil || s.held+next.size > s.all {
			return
		}
		s.turn++
		s.served[next.from.group], s.served[next.from.one] = s.turn, s.turn
		s.held += next.size
		s.groups[next.from.group] += next.size
		s.ones[next.from.one] += next.size
		s.remove(next)
		close(next.ready)
	}
}

// isBefore reports whether a sender was served longer ago than another: its group or, within a group, itself.
func (s *shares) isBefore(a, b sender) bool {
	if s.served[a.group] != s.served[b.group] {
		return s.served[a.group] < s.served[b.group]
	}
	return s.served[a.one] < s.served[b.one]
}

// remove takes a request from those that wait, and reports whether it was there.
func (s *shares) remove(w *waiter) bool {
	for i, other := range s.waiting {
		if other == w {
			s.waiting = append(s.waiting[:i], s.waiting[i+1:]...)
			return true
		}
	}
	return false
}

func (s *shares) waitsFor(from sender) (n int) {
	for _, w := range s.waiting {
		if w.from.one == from.one {
			n++
		}
	}
	return n
}

func (s *shares) giveBack(w *waiter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held -= w.size
	lower(s.groups, w.from.group, w.size)
	lower(s.ones, w.from.one, w.size)
	s.serve()
	if len(s.waiting) == 0 { // then only who holds something has had more than others
		maps.DeleteFunc(s.served, func(who string, _ int64) bool { return s.ones[who] == 0 && s.groups[who] == 0 })
	}
}

// lower forgets who holds nothing.
func lower(held map[string]int64, who string, by int64) {
	if held[who] -= by; held[who] == 0 {
		delete(held, who)
	}
}
