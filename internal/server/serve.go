package server

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// How slow a client may be. Ask and event streams have limits of their own, since their answers take long.
const (
	headerTimeout = 10 * time.Second
	readTimeout   = 30 * time.Second
	writeTimeout  = 2 * time.Minute
	idleTimeout   = 2 * time.Minute
	mostHeader    = 32 << 10
	mostConns     = 2048

	// grace is how long requests may go on once the server is told to stop.
	grace = 15 * time.Second
)

// Serve answers requests from a listener until the context ends. Then it finishes the requests under way and ends the event
// streams. With a certificate it uses TLS.
func (s *Server) Serve(ctx context.Context, listener net.Listener, certificate *Certificate) error {
	h := &http.Server{
		Handler: s, ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout,
		MaxHeaderBytes: mostHeader, ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug), // broken connections are nothing to worry about
	}
	h.RegisterOnShutdown(s.leave)
	listener = &counted{Listener: listener, free: make(chan struct{}, mostConns)}
	ended := make(chan error, 1)
	go func() {
		if certificate == nil {
			ended <- h.Serve(listener)
			return
		}
		h.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			return certificate.current(s.log), nil
		}}
		ended <- h.ServeTLS(listener, "", "")
	}()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	polite, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	err := h.Shutdown(polite)
	if errors.Is(err, context.DeadlineExceeded) {
		s.log.Warn("some requests took too long to finish and were cut off")
		err = h.Close()
	}
	if end := <-ended; !errors.Is(end, http.ErrServerClosed) {
		err = errors.Join(err, end)
	}
	return err
}

// counted is a listener that limits the number of connections. Further ones wait.
type counted struct {
	net.Listener
	free chan struct{}
}

func (l *counted) Accept() (net.Conn, error) {
	l.free <- struct{}{}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.free
		return nil, err
	}
	return &countedConn{c, sync.OnceFunc(func() { <-l.free })}, nil
}

type countedConn struct {
	net.Conn
	release func()
}

func (c *countedConn) Close() error {
	c.release()
	return c.Conn.Close()
}
