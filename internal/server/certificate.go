package server

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// Certificate is a certificate and its key, in two files. When the certificate is renewed and the files change, new connections
// get the new one.
type Certificate struct {
	cert, key string

	mu     sync.Mutex
	pair   *tls.Certificate
	of     string // the stamps of its files
	looked time.Time
}

// LoadCertificate reads the two files, in PEM.
func LoadCertificate(cert, key string) (*Certificate, error) {
	c := &Certificate{cert: cert, key: key, looked: time.Now()}
	c.of = c.stamps() // before reading, so that a change meanwhile is noticed
	pair, err := tls.LoadX509KeyPair(cert, key)
	c.pair = &pair
	return c, err
}

// lookEvery is the least time between two checks of the files.
const lookEvery = time.Second

// current returns the certificate in the files. It keeps the last one while the files cannot be used: one of them may be half written.
func (c *Certificate) current(log *slog.Logger) *tls.Certificate {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.looked) < lookEvery {
		return c.pair
	}
	c.looked = time.Now()
	now := c.stamps()
	if now == c.of {
		return c.pair
	}
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err != nil {
		log.Warn("the TLS files have changed but cannot be used; the previous certificate stays in use", "error", err)
		return c.pair
	}
	c.pair, c.of = &pair, now
	log.Info("the TLS files have changed; the new certificate is in use")
	return c.pair
}

// stamps tell one version of the files from another.
func (c *Certificate) stamps() (stamps string) {
	for _, name := range []string{c.cert, c.key} {
		if info, err := os.Stat(name); err == nil {
			stamps += fmt.Sprintln(info.ModTime().UnixNano(), info.Size())
		}
	}
	return stamps
}
