package worker

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// How long a request may take. Asking takes as long as thinking does, and the server gives up after ten minutes.
const (
	askWithin  = 11 * time.Minute
	callWithin = 30 * time.Second
)

// Study is what a worker needs to know of a study.
type Study struct {
	Created    time.Time           `json:"created"`
	Definition *study.Study        `json:"definition"`
	Counts     map[study.State]int `json:"counts"`
}

// Trial is what it needs to know of a trial.
type Trial struct {
	Number  int           `json:"number"`
	State   study.State   `json:"state"`
	Setting space.Setting `json:"setting"`
	Charged float64       `json:"charged"`
	Value   float64       `json:"value"`
	Note    string        `json:"note"`
}

// Lease is a trial that this worker is to evaluate.
type Lease struct {
	Trial
	LeaseSeconds float64  `json:"lease_seconds"`
	Limit        *float64 `json:"limit"` // seconds; nil: none
}

type beat struct {
	Stop  bool     `json:"stop"`
	Limit *float64 `json:"limit"`
}

func pathOf(name string) string { return "/studies/" + url.PathEscape(name) }

func pathTo(name string, trial int, what string) string {
	return fmt.Sprintf("%s/trials/%d%s", pathOf(name), trial, what)
}

func (c *Client) study(ctx context.Context, name string) (s Study, err error) {
	err = c.call(ctx, callWithin, http.MethodGet, pathOf(name), "", nil, &s)
	if err == nil && (s.Definition == nil || s.Definition.Name != name) {
		err = &Problem{Status: http.StatusOK, Detail: "what answers there is no server of eke's: it sent no study"}
	}
	return s, err
}

func (c *Client) trial(ctx context.Context, name string, number int) (t Trial, err error) {
	err = c.call(ctx, callWithin, http.MethodGet, pathTo(name, number, ""), "", nil, &t)
	return t, err
}

func (c *Client) ask(ctx context.Context, name, worker, key string) (Lease, error) {
	var out struct {
		Trials []Lease `json:"trials"`
	}
	in := map[string]any{"worker": worker, "count": 1}
	if err := c.call(ctx, askWithin, http.MethodPost, pathOf(name)+"/ask", key, in, &out); err != nil {
		return Lease{}, err
	}
	if len(out.Trials) != 1 || out.Trials[0].Number < 1 {
		return Lease{}, &Problem{Status: http.StatusOK, Detail: "the server answered without a trial"}
	}
	return out.Trials[0], nil
}

func (c *Client) heartbeat(ctx context.Context, within time.Duration, name, worker string, trial int) (b beat, err error) {
	err = c.call(ctx, within, http.MethodPost, pathTo(name, trial, "/heartbeat"), "", map[string]string{"worker": worker}, &b)
	return b, err
}

// finish tells what came of a trial.
func (c *Client) finish(ctx context.Context, name string, trial int, key string, o outcome) (t Trial, err error) {
	verb := "/fail"
	if o.State == study.Done {
		verb = "/tell"
	}
	err = c.call(ctx, callWithin, http.MethodPost, pathTo(name, trial, verb), key, o.body(), &t)
	return t, err
}
