package api

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/eke-bo/eke/internal/fault"
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
	if len(c.CA) > 0 {
		transport.TLSClientConfig.RootCAs = x509.NewCertPool()
		if !transport.TLSClientConfig.RootCAs.AppendCertsFromPEM(c.CA) {
			return nil, fault.New(fault.BadRequest, "give a PEM file", "there is no certificate in the file to trust")
		}
	}
	return &Client{base: strings.TrimSuffix(u.String(), "/"), token: c.Token, http: &http.Client{
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
