package server

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/fault"
)

// hosts is the names that the server answers to. A foreign page can make its own name lead to this machine (DNS rebinding), so
// that the browser takes the server for part of that page. Such requests carry the foreign name, and are refused.
type hosts struct {
	names    []string // lower case
	loopback bool     // only this machine is served
}

// Loopback reports whether only this machine can reach an address to listen on.
func Loopback(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	return err == nil && api.IsLoopback(host)
}

func newHosts(listen string, further []string) hosts {
	h := hosts{loopback: Loopback(listen), names: []string{"localhost"}}
	if host, _, err := net.SplitHostPort(listen); err == nil && host != "" {
		h.names = append(h.names, strings.ToLower(host))
	}
	for _, name := range further {
		h.names = append(h.names, strings.ToLower(name))
	}
	return h
}

// serves reports whether a Host header names this server. The port does not matter: tunnels and proxies change it. Nobody can
// rebind an IP address.
func (h hosts) serves(header string) bool {
	name := header
	if host, port, err := net.SplitHostPort(header); err == nil && !strings.ContainsFunc(port, notDigit) {
		name = host // what follows it must be a port: in 127.0.0.1:80.evil.org it is a part of a name
	}
	name = strings.TrimSuffix(strings.ToLower(strings.Trim(name, "[]")), ".")
	if ip, err := netip.ParseAddr(name); err == nil && ip.Zone() == "" { // a zone can be any text
		return !h.loopback || ip.Unmap().IsLoopback() || slices.Contains(h.names, name)
	}
	return slices.Contains(h.names, name)
}

func notDigit(r rune) bool { return r < '0' || r > '9' }

// crossSite refuses requests from pages of other sites, even those that only read: other sites must not learn what a study
// found out. Programs other than browsers send none of these headers, and pass.
func (s *Server) crossSite(r *http.Request) *api.Problem {
	as := *r
	as.Method = http.MethodPost // since the check lets reads pass
	if err := s.origins.Check(&as); err != nil {
		return api.NewProblem(fault.Forbidden, "", "requests from pages of other sites are refused")
	}
	return nil
}
