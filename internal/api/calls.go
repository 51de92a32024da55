package api

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/study"
)

// How long a call may take. An ask lasts until the server has chosen a setting.
const (
	askTimeout  = MaxAsk + time.Minute
	callTimeout = 30 * time.Second
)

// Study returns a study. It may have another name by now, if its ID is given.
func (c *Client) Study(ctx context.Context, p Place) (Study, error) {
	s, err := call[Study](ctx, c, callTimeout, http.MethodGet, p.path(), "", nil, p)
	if err == nil && (s.Definition == nil || s.Definition.Name != p.Study && (p.StudyID == "" || s.ID != p.StudyID)) {
		err = c.foreign(http.StatusOK, "it sent no study")
	}
	return s, err
}

// CreateStudy creates the study that a study file describes. earlier has the results that it starts from, if they are in a file; nil if not.
func (c *Client) CreateStudy(ctx context.Context, file string, earlier *study.Prior) error {
	body := map[string]any{"yaml": file}
	if earlier != nil {
		body["earlier"] = earlier
	}
	_, err := call[Study](ctx, c, callTimeout, http.MethodPost, "/studies", "", body)
	return err
}

// Label changes what is written on a study.
func (c *Client) Label(ctx context.Context, study string, labels LabelRequest) (Study, error) {
	return call[Study](ctx, c, callTimeout, http.MethodPost, Place{Study: study}.path()+"/labels", "", labels)
}

// Copy makes a new study like another one.
func (c *Client) Copy(ctx context.Context, study string, how CopyRequest) (Study, error) {
	return call[Study](ctx, c, callTimeout, http.MethodPost, Place{Study: study}.path()+"/copy", "", how)
}

// Trial returns a trial.
func (c *Client) Trial(ctx context.Context, p Place) (Trial, error) {
	return call[Trial](ctx, c, callTimeout, http.MethodGet, p.path(), "", nil, p)
}

// Log returns the events of a study's log after the one of that number, at most logPage of them. A server of version 0.1.0 does not
// know limits and refuses them; it sends all events.
func (c *Client) Log(ctx context.Context, p Place, after int64) ([]study.Event, error) {
	path := fmt.Sprintf("%s/log?after=%d", p.path(), after)
	if !c.unlimited.Load() {
		log, err := call[Log](ctx, c, callTimeout, http.MethodGet, fmt.Sprintf("%s&limit=%d", path, logPage), "", nil, p)
		if fault.CodeOf(err) != fault.BadRequest {
			return log.Events, err
		}
	}
	log, err := call[Log](ctx, c, callTimeout, http.MethodGet, path, "", nil, p)
	if err == nil {
		c.unlimited.Store(true)
	}
	return log.Events, err
}

// logPage keeps an answer well below maxAnswer: an event may have kilobytes of reasons.
const logPage = 1000

// Ask hands out one trial to a worker. Repeated with the same key it returns the same trial.
func (c *Client) Ask(ctx context.Context, p Place, worker, key string) (Lease, error) {
	out, err := call[Leases](ctx, c, askTimeout, http.MethodPost, p.path()+"/ask", key, AskRequest{Worker: worker, Count: 1}, p)
	if err != nil {
		return Lease{}, err
	}
	if len(out.Trials) != 1 || out.Trials[0].Number < 1 {
		return Lease{}, c.foreign(http.StatusOK, "it answered without a trial")
	}
	return out.Trials[0], nil
}

// Heartbeat says that a trial's worker is alive. It takes no longer than timeout.
func (c *Client) Heartbeat(ctx context.Context, timeout time.Duration, p Place, beat HeartbeatRequest) (Beat, error) {
	return call[Beat](ctx, c, timeout, http.MethodPost, p.path()+"/heartbeat", "", beat, p)
}

// Cost says what the accounts have on a trial that has ended.
func (c *Client) Cost(ctx context.Context, p Place, cost CostRequest) (Trial, error) {
	return call[Trial](ctx, c, callTimeout, http.MethodPost, p.path()+"/cost", "", cost, p)
}

// Report reports a value that a running trial has on its way.
func (c *Client) Report(ctx context.Context, p Place, step ReportRequest) (Reported, error) {
	return call[Reported](ctx, c, callTimeout, http.MethodPost, p.path()+"/report", "", step, p)
}

// Tell reports the result of a trial. It can be repeated with the same key.
func (c *Client) Tell(ctx context.Context, p Place, key string, result TellRequest) (Trial, error) {
	return call[Trial](ctx, c, callTimeout, http.MethodPost, p.path()+"/tell", key, result, p)
}

// Fail reports that a trial ended without a result. It can be repeated with the same key.
func (c *Client) Fail(ctx context.Context, p Place, key string, why FailRequest) (Trial, error) {
	return call[Trial](ctx, c, callTimeout, http.MethodPost, p.path()+"/fail", key, why, p)
}

// Upload adds to a file of a trial.
func (c *Client) Upload(ctx context.Context, p Place, name string, part UploadRequest) (Uploaded, error) {
	return call[Uploaded](ctx, c, callTimeout, http.MethodPost, p.path()+"/files/"+url.PathEscape(name), "", part, p)
}

// foreign is the error of an answer that no eke server gives.
func (c *Client) foreign(status int, why string) error {
	return fault.Wrap(&Response{Status: status}, fault.NotServer, "check the address", "%s is not an eke server: %s", c.base, why)
}
