package api_test

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/fault"
)

// Whatever answers, the client says what it means.
func TestRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		status  int
		headers []string
		body    string
		code    fault.Code
		problem string
		hint    string
		wait    time.Duration
	}{
		"a problem":           {409, nil, `{"code":"budget_spent","detail":"spent","hint":"add money"}`, fault.BudgetSpent, "spent", "add money", 0},
		"a server of 0.1.0":   {409, nil, `{"code":"budget_spent","detail":"spent","mend":"add money"}`, fault.BudgetSpent, "spent", "add money", 0},
		"not now":             {409, []string{"Retry-After", "7"}, `{"code":"budget_pending","detail":"wait"}`, fault.BudgetPending, "wait", "", 7 * time.Second},
		"much later":          {503, []string{"Retry-After", "86400"}, `{"code":"unavailable","detail":"no"}`, fault.Unavailable, "no", "", 5 * time.Minute},
		"a bug":               {500, nil, `{"code":"unavailable","detail":"oops"}`, fault.Internal, "oops", "", 0},
		"a newer server":      {409, nil, `{"code":"unheard_of","detail":"new"}`, fault.Conflict, "new", "", 0},
		"one that is over":    {409, []string{"Eke-Exit", "3"}, `{"code":"unheard_of","detail":"new"}`, fault.Closed, "new", "", 0},
		"one to wait for":     {409, []string{"Eke-Exit", "4"}, `{"code":"unheard_of","detail":"new"}`, fault.BudgetPending, "new", "", 0},
		"a proxy's 502":       {502, nil, `<html>`, fault.Unavailable, "502 Bad Gateway", "", 0},
		"a proxy's 429":       {429, []string{"Retry-After", "2"}, ``, fault.TooMany, "429", "", 2 * time.Second},
		"another server":      {404, nil, `<html>`, fault.NotServer, "is not an eke server: it answered 404", "check the address", 0},
		"a redirect":          {302, []string{"Location", "https://elsewhere"}, ``, fault.NotServer, "redirects to https://elsewhere", "check the address", 0},
		"a page":              {200, nil, `<html>`, fault.NotServer, "is not an eke server: its answer cannot be read", "check the address", 0},
		"another JSON":        {200, nil, `{}`, fault.NotServer, "is not an eke server: it sent no study", "check the address", 0},
		"another study":       {200, nil, `{"definition":{"name":"other"}}`, fault.NotServer, "it sent no study", "check the address", 0},
		"no code in the JSON": {400, nil, `{"detail":"x"}`, fault.NotServer, "is not an eke server", "check the address", 0},
	} {
		h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			for i := 0; i+1 < len(c.headers); i += 2 {
				w.Header().Set(c.headers[i], c.headers[i+1])
			}
			w.WriteHeader(c.status)
			fmt.Fprint(w, c.body)
		}))
		client, err := api.NewClient(api.Config{URL: h.URL})
		if err != nil {
			t.Fatal(err)
		}
		_, err = client.Study(t.Context(), api.Place{Study: "kiln"})
		h.Close()
		var answered *api.Response
		if !errors.As(err, &answered) || answered.Status != c.status || fault.CodeOf(err) != c.code || fault.HintOf(err) != c.hint ||
			!strings.Contains(err.Error(), c.problem) || retryAfter(err) != c.wait {
			t.Errorf("%s: %s %q, hint %q, wait %v", name, fault.CodeOf(err), err, fault.HintOf(err), retryAfter(err))
		}
	}
}

// Without an answer it is the server that is away, unless waiting will not help.
func TestUnreached(t *testing.T) {
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	defer secure.Close()
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	late, stop := context.WithTimeout(t.Context(), 0)
	defer stop()
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw})
	for name, c := range map[string]struct {
		ctx    context.Context
		config api.Config
		code   fault.Code
	}{
		"nobody there":  {t.Context(), api.Config{URL: "http://127.0.0.1:9"}, fault.Unavailable},
		"not trusted":   {t.Context(), api.Config{URL: secure.URL}, fault.Unauthenticated},
		"trusted":       {t.Context(), api.Config{URL: secure.URL, CA: ca}, fault.NotServer},
		"not TLS":       {t.Context(), api.Config{URL: strings.Replace(plain.URL, "http", "https", 1)}, fault.Unauthenticated},
		"cancelled":     {cancelled, api.Config{URL: plain.URL}, fault.Interrupted},
		"out of time":   {late, api.Config{URL: plain.URL}, fault.Late},
		"a wrong reply": {t.Context(), api.Config{URL: plain.URL + "/below/"}, fault.NotServer},
	} {
		client, err := api.NewClient(c.config)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := client.Trial(c.ctx, api.Place{Study: "kiln", Trial: 1}); fault.CodeOf(err) != c.code {
			t.Errorf("%s: %s, %v", name, fault.CodeOf(err), err)
		}
	}
}

// A firewall may forget a connection without a word. Of a worker's heartbeats one is lost then, not all until its lease is.
func TestForgottenConnection(t *testing.T) {
	for _, two := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			served := &oneByOne{conns: make(chan net.Conn), closed: make(chan struct{})}
			h := &httptest.Server{Listener: served, EnableHTTP2: two, Config: &http.Server{
				Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{}`) })}}
			h.StartTLS()
			defer h.Close()
			var dialled []*forgettable
			usual := http.DefaultTransport.(*http.Transport)
			before := usual.DialContext
			usual.DialContext = func(context.Context, string, string) (net.Conn, error) {
				mine, theirs := net.Pipe()
				served.conns <- theirs
				dialled = append(dialled, &forgettable{Conn: mine})
				return dialled[len(dialled)-1], nil
			}
			client, err := api.NewClient(api.Config{URL: "https://127.0.0.1:1", CA: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: h.Certificate().Raw})})
			usual.DialContext = before
			if err != nil {
				t.Fatal(err)
			}
			beat := func() error {
				_, err := client.Heartbeat(t.Context(), 10*time.Second, api.Place{Study: "kiln", Trial: 1}, api.HeartbeatRequest{Worker: "w"})
				return err
			}
			if err := beat(); err != nil {
				t.Fatal(err)
			}
			dialled[0].forgotten.Store(true)
			if err := beat(); err == nil {
				t.Error("a forgotten connection answers")
			}
			time.Sleep(10 * time.Second)
			if err := beat(); err != nil || len(dialled) != 2 {
				t.Errorf("HTTP/2 %v: %v after %d connections", two, err, len(dialled))
			}
			for _, c := range dialled {
				c.Close()
			}
		})
	}
}

// forgettable is a connection that can be forgotten on its way: what is sent does not arrive.
type forgettable struct {
	net.Conn
	forgotten atomic.Bool
}

func (f *forgettable) Write(p []byte) (int, error) {
	if f.forgotten.Load() {
		return len(p), nil
	}
	return f.Conn.Write(p)
}

// oneByOne is a listener for connections within the process.
type oneByOne struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (o *oneByOne) Accept() (net.Conn, error) {
	select {
	case c := <-o.conns:
		return c, nil
	case <-o.closed:
		return nil, net.ErrClosed
	}
}

func (o *oneByOne) Close() error {
	o.once.Do(func() { close(o.closed) })
	return nil
}

func (o *oneByOne) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

func TestTokenIsNotSentUnencrypted(t *testing.T) {
	for url, fine := range map[string]bool{
		"http://127.0.0.1:8420": true, "http://localhost": true, "http://[::1]:1": true, "https://eke.example.org": true,
		"http://eke.example.org": false, "http://192.168.1.2:8420": false, "http://127.0.0.1.evil.org": false,
		"ftp://localhost": false, "http://u:p@localhost": false, "localhost:8420": false, "": false,
	} {
		_, err := api.NewClient(api.Config{URL: url, Token: "eke_x"})
		if (err == nil) != fine || !fine && (fault.CodeOf(err) != fault.BadRequest || fault.HintOf(err) == "") {
			t.Errorf("%s: %v", url, err)
		}
	}
	if _, err := api.NewClient(api.Config{URL: "http://eke.example.org", Token: "eke_x", Insecure: true}); err != nil {
		t.Error(err)
	}
	if _, err := api.NewClient(api.Config{URL: "https://eke.example.org", CA: []byte("nothing")}); err == nil {
		t.Error("a file without a certificate is trusted")
	}
	if _, err := api.NewClient(api.Config{URL: "https://eke.example.org", Token: "eke_\nx"}); err == nil || strings.Contains(err.Error(), "eke_") {
		t.Errorf("a token with a line break: %v", err)
	}
}

// retryAfter is how long a server asked to wait.
func retryAfter(err error) time.Duration {
	var r *api.Response
	if errors.As(err, &r) {
		return r.RetryAfter
	}
	return 0
}

// A list that comes in pages is read to its end, and what is no list is not an empty one.
func TestStudies(t *testing.T) {
	names, asked := []string{"a", "b", "c", "d", "e"}, 0
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		skip, _ := strconv.Atoi(r.URL.Query().Get("skip"))
		list := api.Studies{Total: len(names), Studies: []api.Summary{}}
		for _, name := range names[skip:min(skip+2, len(names))] {
			list.Studies = append(list.Studies, api.Summary{Name: name})
		}
		_ = json.NewEncoder(w).Encode(list)
	}))
	defer h.Close()
	client, err := api.NewClient(api.Config{URL: h.URL})
	if err != nil {
		t.Fatal(err)
	}
	list, err := client.Studies(t.Context())
	var got []string
	for _, s := range list {
		got = append(got, s.Name)
	}
	if err != nil || !slices.Equal(got, names) || asked != 3 {
		t.Errorf("%v after %d requests, %v", got, asked, err)
	}
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{}`) }))
	defer other.Close()
	if client, err = api.NewClient(api.Config{URL: other.URL}); err != nil {
		t.Fatal(err)
	}
	if list, err := client.Studies(t.Context()); fault.CodeOf(err) != fault.NotServer {
		t.Errorf("%v, %v", list, err)
	}
}
