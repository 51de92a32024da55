package source_test

import (
	"net"
	"sync"
	"testing"
)

// gate holds a port while servers come and go behind it: a port that is given up for a moment may be somebody else's the next, and
// a worker would talk to them. While no server is there, connections are cut off.
type gate struct {
	port net.Listener
	mu   sync.Mutex
	to   *doorway // nil: nobody is there
}

func newGate(t *testing.T) *gate {
	t.Helper()
	port, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { port.Close() })
	g := &gate{port: port}
	go func() {
		for {
			c, err := port.Accept()
			if err != nil {
				return
			}
			g.pass(c)
		}
	}()
	return g
}

// pass hands a connection to the server that is there.
func (g *gate) pass(c net.Conn) {
	g.mu.Lock()
	to := g.to
	g.mu.Unlock()
	if to != nil {
		select {
		case to.came <- c:
			return
		case <-to.shut:
		}
	}
	c.Close()
}

// open returns what the next server listens at.
func (g *gate) open() net.Listener {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.to = &doorway{Listener: g.port, came: make(chan net.Conn), shut: make(chan struct{})}
	return g.to
}

// doorway is the gate as one server sees it. Closing it leaves the port alone.
type doorway struct {
	net.Listener
	came chan net.Conn
	shut chan struct{}
	once sync.Once
}

func (d *doorway) Accept() (net.Conn, error) {
	select {
	case c := <-d.came:
		return c, nil
	case <-d.shut:
		return nil, net.ErrClosed
	}
}

func (d *doorway) Close() error {
	d.once.Do(func() { close(d.shut) })
	return nil
}
