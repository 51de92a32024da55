package server

import (
	"net"
	"sync"
	"time"
)

// rate limits how many requests a client may send per second and at once. Each client has a bucket that fills with time.
type rate struct {
	perSecond, burst float64
	now              func() time.Time

	mu      sync.Mutex
	buckets map[string]*bucket
}

type bucket struct {
	tokens float64
	at     time.Time
}

// mostClients is how many clients are remembered. If there are more, those with full buckets are forgotten, which makes no
// difference to them; if there are none, all are.
const mostClients = 10000

func newRate(perSecond float64) *rate {
	return &rate{perSecond: perSecond, burst: max(2*perSecond, 1), now: time.Now, buckets: map[string]*bucket{}}
}

// take reports whether a client may send one more request.
func (r *rate) take(client string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	b := r.buckets[client]
	if b == nil {
		if len(r.buckets) >= mostClients {
			r.forget(now)
		}
		b = &bucket{tokens: r.burst, at: now}
		r.buckets[client] = b
	}
	b.fill(r, now)
	if b.tokens < 1 {
		return false
	}
	b.tokens--
	return true
}

func (b *bucket) fill(r *rate, now time.Time) {
	b.tokens = min(r.burst, b.tokens+r.perSecond*max(now.Sub(b.at).Seconds(), 0))
	b.at = now
}

func (r *rate) forget(now time.Time) {
	for client, b := range r.buckets {
		if b.fill(r, now); b.tokens >= r.burst {
			delete(r.buckets, client)
		}
	}
	if len(r.buckets) >= mostClients {
		clear(r.buckets)
	}
}

// clientOf is the client that a request counts for: its address without the port. With IPv6 it is the whole network, since one
// machine can use as many addresses as it likes.
func clientOf(remote string) string {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		return remote
	}
	if ip := net.ParseIP(host); ip != nil && ip.To4() == nil {
		return ip.Mask(net.CIDRMask(64, 128)).String()
	}
	return host
}
