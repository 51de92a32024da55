package worker

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
	"strconv"
	"strings"
	"time"
)

// Server says where the server is and how it is spoken to.
type Server struct {
	URL      string // http or https
	Token    string // empty: none is needed
	CA       []byte // certificates in PEM that are trusted; none: the system's
	Insecure bool   // a token may be sent over a network in the clear
}

// Client sends requests to a server.
type Client struct {
	base  string
	token string
	http  *http.Client
}

// ErrInClear says that others could read the token.
var ErrInClear = errors.New("the token would be sent in the clear")

// NewClient checks what it is given, and sends nothing yet.
func NewClient(s Server) (*Client, error) {
	u, err := url.Parse(s.URL)
	switch {
	case err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("the server's address is not like https://eke.example.org")
	case u.User != nil:
		return nil, errors.New("the server's address has a password in it, which others can see")
	case s.Token != "" && u.Scheme == "http" && !s.Insecure && !isLoopback(u.Hostname()):
		return nil, ErrInClear
	case strings.ContainsFunc(s.Token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return nil, errors.New("the token has characters that no token has")
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	if len(s.CA) > 0 {
		transport.TLSClientConfig.RootCAs = x509.NewCertPool()
		if !transport.TLSClientConfig.RootCAs.AppendCertsFromPEM(s.CA) {
			return nil, errors.New("there is no certificate in what is to be trusted")
		}
	}
	return &Client{base: strings.TrimSuffix(u.String(), "/"), token: s.Token, http: &http.Client{
		Transport: transport,
		// A redirect may lead to where the token must not be sent.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && ip.Unmap().IsLoopback()
}

// Problem is an answer that is an error.
type Problem struct {
	Status     int    `json:"status"`
	Code       string `json:"code"` // empty: it is no server of eke's that answered
	Detail     string `json:"detail"`
	retryAfter time.Duration
}

func (p *Problem) Error() string { return p.Detail }

// is says whether an error is a problem with one of these codes.
func is(err error, codes ...string) bool {
	var p *Problem
	if !errors.As(err, &p) {
		return false
	}
	for _, code := range codes {
		if p.Code == code {
			return true
		}
	}
	return false
}

// mostAnswer is how much is read of an answer.
const mostAnswer = 16 << 20

// call sends one request. With a key it can be repeated without harm.
func (c *Client) call(ctx context.Context, within time.Duration, method, path, key string, in, out any) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	var sent io.Reader
	if in != nil {
		raw, err := json.Marshal(in)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(raw)
	}
	r, err := http.NewRequestWithContext(ctx, method, c.base+"/api/v1"+path, sent)
	if err != nil {
		return err
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
	resp, err := c.http.Do(r)
	if err != nil {
		var sending *url.Error
		if errors.As(err, &sending) {
			err = sending.Err
		}
		return fmt.Errorf("the server cannot be reached: %w", err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, mostAnswer))
	if err != nil {
		return fmt.Errorf("the server's answer was cut short: %w", err)
	}
	if resp.StatusCode >= 300 {
		return problemIn(resp, raw)
	}
	if err := json.Unmarshal(raw, out); err != nil {
		return &Problem{Status: resp.StatusCode, Detail: "what answers at " + c.base + " is no server of eke's"}
	}
	return nil
}

func problemIn(resp *http.Response, raw []byte) error {
	p := &Problem{}
	if err := json.Unmarshal(raw, p); err != nil || p.Code == "" {
		p = &Problem{Detail: "what answers there is no server of eke's: " + resp.Status}
		if to := resp.Header.Get("Location"); to != "" {
			p.Detail += ", it says to go to " + to
		}
	}
	p.Status = resp.StatusCode
	if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && seconds > 0 {
		p.retryAfter = time.Duration(min(seconds, 300)) * time.Second
	}
	return p
}
