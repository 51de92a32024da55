package api

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/study"
)

// Config says where a server is and how to talk to it.
type Config struct {
	URL      string // http or https
	Token    string // empty: the server needs none
	CA       []byte // trusted certificates in PEM; empty: the system's
	Insecure bool   // send the token over plain http to another machine
}

// Client sends requests to a server. Its errors are faults with the server's code; Response has the rest of the answer.
type Client struct {
	base  string
	token string
	http  *http.Client

	unlimited atomic.Bool // the server refuses limits; see Log
}

// NewClient checks the configuration. It sends nothing yet.
func NewClient(c Config) (*Client, error) {
	u, err := url.Parse(c.URL)
	if bare, e := url.Parse("http://" + c.URL); (err != nil || u.Host == "") && e == nil && bare.Port() != "" {
		return nil, fault.New(fault.BadRequest, "write: http://"+c.URL, "the server's address %.200q does not begin with http:// or https://", c.URL)
	}
	switch {
	case err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.RawQuery != "" || u.Fragment != "":
		return nil, fault.New(fault.BadRequest, "write it like https://eke.example.org", "the server's address %.200q is not a URL", c.URL)
	case u.User != nil:
		return nil, fault.New(fault.BadRequest, "use a token instead", "the server's address contains a password that others can see")
	case c.Token != "" && u.Scheme == "http" && !c.Insecure && !IsLoopback(u.Hostname()):
		return nil, fault.New(fault.BadRequest, "use https; or --insecure, if nobody else can listen on the network",
			"the token would travel to %s unencrypted", u.Host)
	case strings.ContainsFunc(c.Token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return nil, fault.New(fault.BadRequest, "check the token", "the token contains characters that no token has")
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	// All requests share a connection of HTTP/2. If a firewall has forgotten it, none would be heard until leases are lost.
	transport.HTTP2 = &http.HTTP2Config{SendPingTimeout: 10 * time.Second, PingTimeout: 5 * time.Second}
	if len(c.CA) > 0 {
		transport.TLSClientConfig.RootCAs = x509.NewCertPool()
		if !transport.TLSClientConfig.RootCAs.AppendCertsFromPEM(c.CA) {
			return nil, fault.New(fault.BadRequest, "give a PEM file", "there is no certificate in the file to trust")
		}
	}
	return &Client{base: strings.TrimSuffix(strings.TrimSuffix(u.String(), "/"), "/api/v1"), token: c.Token, http: &http.Client{
		Transport: transport,
		// A redirect may lead to where the token must not be sent.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// IsLoopback reports whether a host is this machine.
func IsLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && ip.Unmap().IsLoopback()
}

// maxAnswer is how much of an answer is read, in bytes.
const maxAnswer = 16 << 20

// call sends one request. With a key it can be repeated safely.
func call[T any](ctx context.Context, c *Client, timeout time.Duration, method, path, key string, in any, about ...Place) (out T, err error) {
	short, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	r, err := c.request(short, method, path, key, in)
	if err != nil {
		return out, err
	}
	for _, p := range about {
		p.mark(r.Header)
	}
	resp, err := c.http.Do(r)
	if err != nil {
		return out, unreached(ctx, err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	switch {
	case err != nil:
		return out, unreached(ctx, err)
	case resp.StatusCode >= 300:
		return out, c.refusal(resp, raw)
	case json.Unmarshal(raw, &out) != nil:
		return out, c.foreign(resp.StatusCode, "its answer cannot be read")
	}
	return out, nil
}

func (c *Client) request(ctx context.Context, method, path, key string, in any) (*http.Request, error) {
	var body io.Reader
	if in != nil {
		raw, err := json.Marshal(in)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(raw)
	}
	r, err := http.NewRequestWithContext(ctx, method, c.base+Prefix+path, body)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "application/json")
	if in != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	if c.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	return r, nil
}

// unreached is the error of a request without a whole answer.
func unreached(ctx context.Context, err error) error {
	if sending, ok := errors.AsType[*url.Error](err); ok {
		err = sending.Err
	}
	switch {
	case ctx.Err() != nil:
		return fault.New(fault.CodeOf(ctx.Err()), "", "the request was cancelled: %w", ctx.Err())
	case is[*tls.CertificateVerificationError](err), is[x509.UnknownAuthorityError](err):
		return fault.New(fault.Unauthenticated, "trust its certificate: --ca FILE", "the server's certificate is not trusted: %w", err)
	case is[tls.RecordHeaderError](err), errors.Is(err, http.ErrSchemeMismatch):
		return fault.New(fault.Unauthenticated, "use http:// if the server has no TLS", "the server does not use TLS: %w", err)
	}
	return fault.New(fault.Unavailable, "check the address and the network", "the server cannot be reached: %w", err)
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

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
func (c *Client) CreateStudy(ctx context.Context, file string, earlier *study.Earlier) error {
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
func (c *Client) Ask(ctx context.Context, p Place, ask AskRequest, key string) (Lease, error) {
	out, err := call[Leases](ctx, c, askTimeout, http.MethodPost, p.path()+"/ask", key, ask, p)
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

// Headers that say what a request is about beyond a doubt. A name may be another study's by now, and a number another trial's. An older
// server ignores them.
const (
	StudyHeader = "Eke-Study" // the study's ID
	TrialHeader = "Eke-Trial" // the trial's ID
)

// Place is what a request is about.
type Place struct {
	Study   string // the study's name
	StudyID string // empty: the name alone says which study is meant
	Trial   int    // the trial's number; 0: it is about no trial
	TrialID string // empty: the number alone says which trial is meant
}

func (p Place) mark(h http.Header) {
	for name, id := range map[string]string{StudyHeader: p.StudyID, TrialHeader: p.TrialID} {
		if id != "" {
			h.Set(name, id)
		}
	}
}

func (p Place) path() string {
	if p.Trial == 0 {
		return "/studies/" + url.PathEscape(p.Study)
	}
	return fmt.Sprintf("/studies/%s/trials/%d", url.PathEscape(p.Study), p.Trial)
}
