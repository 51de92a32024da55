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

// A page in a browser can be made to believe that a name of its own is this machine (DNS rebinding), and then calls us as
// if it were ours. Such a request carries the foreign name, so only names that are meant are answered.
type hosts struct {
	names    []string // lower case
	loopback bool     // only this machine is served
}

// Loopback says whether an address to listen on can be reached from this machine only.
func Loopback(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return false
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
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

// serves says whether a Host header names us. Its port is not looked at: tunnels and proxies change it. An address that is no
// name cannot have been rebound.
func (h hosts) serves(header string) bool {
	name := header
	if host, _, err := net.SplitHostPort(header); err == nil {
		name = host
	}
	name = strings.TrimSuffix(strings.ToLower(strings.Trim(name, "[]")), ".")
	if ip, err := netip.ParseAddr(name); err == nil {
		return !h.loopback || ip.Unmap().IsLoopback() || slices.Contains(h.names, name)
	}
	return slices.Contains(h.names, name)
}

// crossSite refuses what a page of another origin sends, reads included: what a study found out is nobody else's
// business. Programs that are no browsers send neither header and pass.
func (s *Server) crossSite(r *http.Request) *api.Problem {
	as := *r
	as.Method = http.MethodPost // as the check lets reads pass
	if err := s.origins.Check(&as); err != nil {
		return api.NewProblem(fault.Forbidden, "", "requests from pages of other sites are refused")
	}
	return nil
}
