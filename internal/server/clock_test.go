package server_test

import (
	"cmp"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"

	"github.com/eke-bo/eke/internal/server"
)

// ownClock gives a test a clock of its own: it stands still while anybody works, and goes on when all wait. So what a test says of seconds holds on
// the busiest machine, and to wait takes no time.
func ownClock(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, test)
}

// serveInside is serve for a test with a clock of its own: whoever waits for a socket would keep that clock from going on, so requests do
// not leave the process. For the same reason the store is always a file.
func serveInside(t testing.TB, change ...func(*server.Config)) *given {
	t.Helper()
	g := start(t, "sqlite", change...)
	g.url, g.client = "http://localhost", &http.Client{Transport: inside{g.server}}
	t.Cleanup(g.server.Close)
	return g
}

// inside hands requests to a server in this process, and returns an answer when it is whole.
type inside struct{ server http.Handler }

func (i inside) RoundTrip(r *http.Request) (*http.Response, error) {
	asked := r.Clone(r.Context())
	asked.RequestURI, asked.RemoteAddr, asked.Host = r.URL.RequestURI(), "127.0.0.1:1", cmp.Or(r.Host, r.URL.Host)
	if asked.Body == nil {
		asked.Body = http.NoBody
	}
	w := httptest.NewRecorder()
	i.server.ServeHTTP(w, asked)
	return w.Result(), nil
}

// pipes is a listener for connections within the process.
type pipes struct {
	made   chan net.Conn
	closed chan struct{}
}

func newPipes() *pipes { return &pipes{make(chan net.Conn), make(chan struct{})} }

// dial connects to whoever accepts.
func (p *pipes) dial() net.Conn {
	client, served := net.Pipe()
	p.made <- served
	return client
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.made:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	close(p.closed)
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipes", Net: "unix"} }
