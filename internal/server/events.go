package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

const (
	// calm is the least time between two events. A study may change a hundred times a second, and nobody looks that often.
	calm = 200 * time.Millisecond

	// sendTimeout is how long a listener may take for one event.
	sendTimeout = 15 * time.Second
)

func (s *Server) eventOperations(h huma.API) {
	op := operation(http.MethodGet, "/studies/{study}/events", "listen", "Follow the changes of a study", Reader)
	op.Description += " The answer is a stream of server-sent events: change, with the data described here, and ping."
	op.Extensions = map[string]any{"x-ping-seconds": int(api.PingEvery.Seconds())}
	op.Responses = map[string]*huma.Response{"200": {Description: "A stream of events", Content: map[string]*huma.MediaType{
		"text/event-stream": {Schema: h.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[api.Change](), true, "Change")},
	}}}
	register(s, h, op, ofStudy(s, s.listenEvents))
}

type eventsInput struct {
	OfStudy
	Last  string `header:"Last-Event-ID" pattern:"^[0-9]{1,18}$" doc:"The last version that the client has seen."`
	After int64  `query:"after" minimum:"-1" default:"-1" doc:"The same, for clients that cannot set a header."`
}

func (s *Server) listenEvents(ctx context.Context, in *eventsInput, o *openStudy, r *study.Record) (*huma.StreamResponse, error) {
	after := r.Version
	if last, err := strconv.ParseInt(in.Last, 10, 64); err == nil {
		after = min(last, r.Version)
	} else if in.After >= 0 {
		after = min(in.After, r.Version)
	}
	free, err := s.oneMoreStream(ctx)
	if err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(hctx huma.Context) {
		defer free()
		asked, w := humago.Unwrap(hctx)
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("X-Accel-Buffering", "no") // or nginx would delay events
		w.WriteHeader(http.StatusOK)
		st := &stream{s: s, study: o, asked: asked, out: w, control: http.NewResponseController(w), version: after}
		_ = st.control.SetReadDeadline(time.Time{}) // a listener sends nothing more
		if err := st.run(ctx); err != nil && ctx.Err() == nil {
			s.log.Debug("an event stream ended", "study", in.Study, "error", err)
		}
	}}, nil
}

// newStreams is for how many clients may listen. Three quarters of them may have one token, or be of one group.
func newStreams(most int64) *shares {
	some := most - most/4
	return newShares(most, some, some, 0)
}

func (s *Server) oneMoreStream(ctx context.Context) (free func(), err error) {
	release, err := s.streams.take(ctx, senderIn(ctx), 1)
	if err != nil {
		return nil, fault.New(fault.TooMany, "try again later", "%d clients listen for events already, or %d of one token or group, the most that this server allows", s.streams.all, s.streams.one)
	}
	s.metrics.streams.add(1)
	return func() {
		release()
		s.metrics.streams.add(-1)
	}, nil
}

// stream is one client that listens.
type stream struct {
	s       *Server
	study   *openStudy
	asked   *http.Request
	out     http.ResponseWriter
	control *http.ResponseController
	version int64 // the last one sent
}

func (st *stream) run(ctx context.Context) error {
	defer st.s.listen(st.study)()
	ping := time.NewTicker(api.PingEvery)
	defer ping.Stop()
	for first := true; ; first = false {
		news := st.study.watch.next() // before reading, so that no change is missed
		if err := st.change(ctx, first); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-st.s.leaving:
			return nil
		case <-ping.C:
			if err := st.send("", "ping", map[string]int64{"version": st.version}); err != nil {
				return err
			}
		case <-news:
			select {
			case <-ctx.Done():
			case <-st.s.leaving:
			case <-time.After(calm):
			}
		}
	}
}

// change sends what has changed since the last event. The first event is always sent.
func (st *stream) change(ctx context.Context, always bool) error {
	name := st.study.broker.Study().Name
	now, r, err := st.s.open(ctx, name) // it may have been changed by its file
	if err == nil && !now.created.Equal(st.study.created) {
		err = store.NotFound(name) // there is another of that name
	}
	if err != nil {
		return err
	}
	st.study = now
	// The token may have been revoked meanwhile. This is looked at after reading, so that nothing is told that happened since.
	if _, refused := st.s.admit(st.asked, Reader); refused != nil {
		return refused
	}
	if r.Version == st.version && !always {
		return nil
	}
	c := api.Change{Version: r.Version, Study: st.study.view(ctx, r), Trials: []api.Trial{}}
	if r.Version > st.version {
		_, events, err := st.s.store.Read(ctx, c.Study.Name, st.version)
		if err != nil {
			return err
		}
		var numbers []int
		for _, e := range events {
			for i := range r.Trials { // every setting may have another place, and what was measured is judged by other limits
				if e.Kind == study.EventReshaped || e.Kind == study.EventDefined && len(r.Trials[i].Metrics) > 0 {
					numbers = append(numbers, i+1)
				}
			}
			if e.Trial > 0 && e.Trial <= len(r.Trials) { // a newer trial comes with the next event
				numbers = append(numbers, e.Trial)
			}
		}
		slices.Sort(numbers)
		for _, n := range slices.Compact(numbers) {
			c.Trials = append(c.Trials, api.NewTrial(r.Trials[n-1]))
		}
	}
	if err := st.send(strconv.FormatInt(r.Version, 10), "change", c); err != nil {
		return err
	}
	st.version = r.Version
	return nil
}

func (st *stream) send(id, event string, data any) error {
	raw, err := json.Marshal(data)
	if err != nil {
		return err
	}
	_ = st.control.SetWriteDeadline(time.Now().Add(sendTimeout)) // tests have no connection
	text := fmt.Sprintf("event: %s\ndata: %s\n\n", event, raw)
	if id != "" {
		text = "id: " + id + "\n" + text
	}
	if _, err := st.out.Write([]byte(text)); err != nil {
		return err
	}
	return st.control.Flush()
}

// watch tells listeners that a study may have changed: at once if this server changed it, and within pollEvery if another process
// did.
type watch struct {
	mu        sync.Mutex
	news      chan struct{} // closed at the next change
	listeners int
	stop      context.CancelFunc // stops the poller, which runs while there are listeners
}

const pollEvery = time.Second

func newWatch() *watch { return &watch{news: make(chan struct{})} }

func (w *watch) poke() {
	w.mu.Lock()
	defer w.mu.Unlock()
	close(w.news)
	w.news = make(chan struct{})
}

// next returns a channel that is closed at the next change.
func (w *watch) next() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.news
}

// listen watches for changes by other processes until leave is called.
func (s *Server) listen(o *openStudy) (leave func()) {
	w := o.watch
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.listeners++; w.listeners == 1 {
		ctx, stop := context.WithCancel(s.background)
		w.stop = stop
		s.running.Go(func() { o.poll(ctx) })
	}
	return sync.OnceFunc(func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.listeners--; w.listeners == 0 {
			w.stop()
		}
	})
}

func (o *openStudy) poll(ctx context.Context) {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	var version int64
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		// An error here happens to the listeners as well, and they report it.
		if r, err := o.broker.Record(ctx); err == nil && r.Version != version {
			version = r.Version
			o.watch.poke()
		}
	}
}
