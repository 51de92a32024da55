package server

import (
	"maps"
	"net"
	"sync"
	"time"
)

// rate limits how many requests a client may send per second and at once. Each request uses some of the client's time, and a
// client may be ahead of the clock, but not by much.
type rate struct {
	each, ahead time.Duration

	mu   sync.Mutex
	used map[string]time.Time // until when each client has used its time
}

// rates limits senders and groups. Heartbeats and results have a rate of their own.
type rates struct{ one, group *rate }

// A group may send twice as many requests as one of its tokens.
func newRates(perSecond float64) rates { return rates{newRate(perSecond), newRate(2 * perSecond)} }

// take reports whether one more request may be sent.
func (r rates) take(from sender, urgent bool) bool {
	if urgent {
		from = sender{"urgent " + from.one, "urgent " + from.group}
	}
	return r.one.take(from.one) && r.group.take(from.group)
}

// mostClients is how many clients are remembered. If there are more, those who are not ahead are forgotten, which makes no
// difference to them; if there are none, all are.
const mostClients = 10000

func newRate(perSecond float64) *rate {
	each := float64(time.Second) / perSecond
	return &rate{each: time.Duration(each), ahead: time.Duration(each * max(2*perSecond, 1)), used: map[string]time.Time{}}
}

// take reports whether a client may send one more request.
func (r *rate) take(client string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	until, known := r.used[client]
	if !known && len(r.used) >= mostClients {
		r.forget(now)
	}
	if until.Before(now) {
		until = now
	}
	until = until.Add(r.each)
	if until.Sub(now) > r.ahead {
		return false
	}
	r.used[client] = until
	return true
}

func (r *rate) forget(now time.Time) {
	maps.DeleteFunc(r.used, func(_ string, until time.Time) bool { return until.Before(now) })
	if len(r.used) >= mostClients {
		clear(r.used)
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
