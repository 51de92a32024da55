package server_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/server"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

// listener reads a stream of events.
type listener struct {
	t     testing.TB
	lines *bufio.Scanner
	close func()
}

func (g *given) listen(path string, headers ...string) *listener {
	g.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, g.url+"/api/v1"+path, nil)
	if err != nil {
		g.t.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := g.client.Do(r)
	if err != nil || resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/event-stream" {
		g.t.Fatalf("%+v, %v", resp, err)
	}
	l := &listener{g.t, bufio.NewScanner(resp.Body), func() { cancel(); resp.Body.Close() }}
	l.lines.Buffer(nil, 1<<24)
	g.t.Cleanup(l.close)
	return l
}

// next returns the next change, with its ID. A ping comes whenever nothing else has come for a while.
func (l *listener) next() (id, event string, c api.Change) {
	l.t.Helper()
	for {
		if id, event, c = l.any(); event != "ping" {
			return id, event, c
		}
	}
}

// any returns the next event.
func (l *listener) any() (id, event string, c api.Change) {
	l.t.Helper()
	for l.lines.Scan() {
		name, value, _ := strings.Cut(l.lines.Text(), ": ")
		switch name {
		case "id":
			id = value
		case "event":
			event = value
		case "data":
			if err := json.Unmarshal([]byte(value), &c); err != nil {
				l.t.Fatal(err)
			}
		case "":
			return id, event, c
		}
	}
	l.t.Fatalf("the stream ended: %v", l.lines.Err())
	return
}

func TestEvents(t *testing.T) {
	g := serve(t)
	g.create(kiln)
	l := g.listen("/studies/kiln/events")
	if id, event, c := l.next(); id != "0" || event != "change" || c.Study.Name != "kiln" || c.Trials == nil || len(c.Trials) != 0 {
		t.Errorf("%s %s %+v", id, event, c)
	}
	g.post("/studies/kiln/ask", `{"worker":"w"}`).fine(200, nil)
	if id, _, c := l.next(); id != "2" || c.Version != 2 || len(c.Trials) != 1 || c.Trials[0].State != study.Running || c.Study.Ledger.Reserved == 0 {
		t.Errorf("%s %+v", id, c)
	}
	// Another process changes it.
	d, err := broker.Open(t.Context(), g.store, "kiln")
	if err != nil {
		t.Fatal(err)
	}
	if err := d.AddBudget(t.Context(), 11); err != nil {
		t.Fatal(err)
	}
	if _, _, c := l.next(); c.Study.Ledger.Total != 111 || len(c.Trials) != 0 {
		t.Errorf("%+v", c)
	}
	// Who comes back hears what was missed.
	for _, again := range []*listener{g.listen("/studies/kiln/events", "Last-Event-ID", "1"), g.listen("/studies/kiln/events?after=1")} {
		if _, _, c := again.next(); c.Version != 3 || len(c.Trials) != 1 {
			t.Errorf("%+v", c)
		}
	}
	if _, _, c := g.listen("/studies/kiln/events", "Last-Event-ID", "99999").next(); c.Version != 3 {
		t.Errorf("%+v", c)
	}
}

// Who listens with a token that is revoked hears nothing more.
func TestRevokedTokenEndsStream(t *testing.T) {
	g := serve(t)
	g.create(kiln)
	secret, token := server.NewToken(server.Reader, "test")
	tokens := g.store.(store.Tokens)
	if err := tokens.AddToken(t.Context(), token); err != nil {
		t.Fatal(err)
	}
	g.token = g.newToken(server.Admin)
	l := g.listen("/studies/kiln/events", "Authorization", "Bearer "+secret)
	l.next()
	if err := tokens.RevokeToken(t.Context(), token.ID); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool { return g.get("/studies", "Authorization", "Bearer "+secret).status == 401 })
	g.post("/studies/kiln/budget", `{"add":5}`).fine(200, nil)
	for l.lines.Scan() {
		if strings.HasPrefix(l.lines.Text(), "data: ") && strings.Contains(l.lines.Text(), `"study"`) { // not a ping
			t.Fatalf("a revoked token heard: %.200s", l.lines.Text())
		}
	}
}

func TestTooManyStreams(t *testing.T) {
	g := serve(t, func(c *server.Config) { c.Streams = 2 })
	g.create(kiln)
	a, _ := g.listen("/studies/kiln/events"), g.listen("/studies/kiln/events")
	g.get("/studies/kiln/events").refused(429, fault.TooMany, "")
	a.close()
	waitFor(t, func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		r, _ := http.NewRequestWithContext(ctx, http.MethodGet, g.url+"/api/v1/studies/kiln/events", nil)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
}

// really serves on a real listener, with all timeouts, until the test stops it.
func really(t *testing.T, certificate *server.Certificate, change ...func(*server.Config)) (g *given, stop func() error) {
	t.Helper()
	g = start(t, usual(), change...)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g.url, g.client = "http://"+l.Addr().String(), http.DefaultClient
	return g, g.listenOn(l, certificate)
}

// listenOn serves on a listener until the test stops it.
func (g *given) listenOn(l net.Listener, certificate *server.Certificate) (stop func() error) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- g.server.Serve(ctx, l, certificate) }()
	g.t.Cleanup(func() { cancel(); g.server.Close() })
	return func() error { cancel(); return <-ended }
}

// TLS is TLS, with HTTP/2 and streams over it.
func TestTLS(t *testing.T) {
	lent := httptest.NewTLSServer(http.NotFoundHandler()) // has a certificate, and a client that trusts it
	defer lent.Close()
	cert, key := filesOf(t, lent.TLS.Certificates[0])
	certificate, err := server.LoadCertificate(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	g, _ := really(t, certificate)
	g.url = strings.Replace(g.url, "http:", "https:", 1)
	g.client = lent.Client()
	g.client.Transport.(*http.Transport).ForceAttemptHTTP2 = true
	g.create(kiln)
	l := g.listen("/studies/kiln/events")
	l.next()
	g.post("/studies/kiln/budget", `{"add":5}`).fine(200, nil)
	if _, _, c := l.next(); c.Study.Ledger.Total != 105 {
		t.Errorf("%+v", c)
	}
	resp, err := g.client.Get(g.url + "/healthz")
	if err != nil || resp.ProtoMajor != 2 {
		t.Fatalf("%+v, %v", resp, err)
	}
	resp.Body.Close()
}

// barred is a store whose next change waits until the test lets it pass.
type barred struct {
	store.Store
	shut          atomic.Bool
	waiting, pass chan struct{}
}

func (b *barred) Append(ctx context.Context, name string, after int64, events ...study.Event) error {
	if b.shut.CompareAndSwap(true, false) {
		close(b.waiting)
		<-b.pass
	}
	return b.Store.Append(ctx, name, after, events...)
}

// An orderly end: streams are closed, what is under way is answered.
func TestShutdown(t *testing.T) {
	bar := &barred{Store: openStore(t, usual()), waiting: make(chan struct{}), pass: make(chan struct{})}
	g, stop := really(t, nil, func(c *server.Config) { c.Store = bar })
	g.create(kiln)
	l := g.listen("/studies/kiln/events")
	l.next()
	bar.shut.Store(true)
	asked := make(chan answered, 1)
	go func() {
		defer close(asked) // also when there is no answer
		asked <- g.post("/studies/kiln/ask", `{"worker":"w"}`)
	}()
	<-bar.waiting
	stopped := make(chan error, 1)
	go func() { stopped <- stop() }()
	for l.lines.Scan() { // until the server has begun to stop
	}
	if err := l.lines.Err(); err != nil {
		t.Errorf("the stream was torn: %v", err)
	}
	if len(asked) > 0 || len(stopped) > 0 {
		t.Error("the server has not waited for what was under way")
	}
	close(bar.pass)
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	(<-asked).fine(200, nil)
}

// Who is slow to say what they want is cut off, and keeps nobody from being served.
func TestSlowClients(t *testing.T) { ownClock(t, testSlowClients) }

func testSlowClients(t *testing.T) {
	g, l := start(t, "sqlite"), newPipes()
	stop := g.listenOn(l, nil)
	begin := time.Now()
	dial := func(request string, headers ...any) net.Conn {
		c := l.dial()
		t.Cleanup(func() { c.Close() })
		go fmt.Fprintf(c, request, headers...) // the server need not read all of it
		return c
	}
	var slow []net.Conn
	for range 50 {
		slow = append(slow, dial("GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: "))
	}
	status := func(c net.Conn) string {
		answer, err := bufio.NewReader(c).ReadString('\n')
		if err != nil {
			t.Error(err)
		}
		return answer
	}
	if answer := status(dial("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")); !strings.Contains(answer, "200") || time.Since(begin) != 0 {
		t.Errorf("others waited for %v: %q", time.Since(begin), answer)
	}
	for _, c := range slow {
		if _, err := io.ReadAll(c); err != nil || time.Since(begin) != 10*time.Second {
			t.Errorf("cut off after %v: %v", time.Since(begin), err)
		}
	}
	if answer := status(dial("GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Large: %s\r\n\r\n", strings.Repeat("a", 64<<10))); !strings.Contains(answer, "431") {
		t.Errorf("%q", answer)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// thinks says whether anybody in this process plans ahead.
func thinks() bool {
	stacks := make([]byte, 16<<20)
	return bytes.Contains(stacks[:runtime.Stack(stacks, true)], []byte("eke/lookahead."))
}

// Thinking stops when whoever asked is gone, and reads do not wait for it.
func TestThinkingStopsAndReadsDoNotWait(t *testing.T) {
	g := serve(t)
	// A tree with so many fantasies thinks for minutes.
	g.create(strings.Replace(kiln, "policy: {name: random}", "policy: {name: bmsei, fantasies: [20, 20, 20], design: 3}", 1))
	for n := 1; n <= 3; n++ {
		g.post("/studies/kiln/ask", `{"worker":"w"}`).fine(200, nil)
		g.post(fmt.Sprintf("/studies/kiln/trials/%d/tell", n), map[string]any{"value": float64(n), "cost": 1}).fine(200, nil)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, g.url+"/api/v1/studies/kiln/ask", strings.NewReader(`{"worker":"w"}`))
	if err != nil {
		t.Fatal(err)
	}
	gone := make(chan error, 1)
	go func() {
		resp, err := http.DefaultClient.Do(r)
		if err == nil {
			resp.Body.Close()
		}
		gone <- err
	}()
	waitFor(t, thinks)
	for range 20 {
		g.get("/studies/kiln").fine(200, nil)
	}
	if !thinks() {
		t.Error("reads were answered when the thinking was over")
	}
	cancel()
	if err := <-gone; err == nil {
		t.Error("it was thought of too quickly to say anything")
	}
	waitFor(t, func() bool { return !thinks() })
	g.post("/studies/kiln/budget", `{"add":1}`).fine(200, nil)
	var s api.Study
	if g.get("/studies/kiln").fine(200, &s); s.Counts[study.Running] != 0 {
		t.Errorf("%+v", s.Counts)
	}
}
