package server

import (
	"crypto/tls"
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
	of     [2]stamp
	looked time.Time
}

// stamp tells one version of a file from another.
type stamp struct {
	changed time.Time
	size    int64
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

func (c *Certificate) stamps() (list [2]stamp) {
	for i, name := range []string{c.cert, c.key} {
		if info, err := os.Stat(name); err == nil {
			list[i] = stamp{info.ModTime(), info.Size()}
		}
	}
	return list
}
