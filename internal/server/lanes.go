package server

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"path"
	"strings"
	"time"

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
