package server

import "testing"

// A zone is no way to put another name behind an address. Go's client never sends one.
func TestHostWithZone(t *testing.T) {
	for _, listen := range []string{"127.0.0.1:8420", "0.0.0.0:8420"} {
		h := newHosts(listen, nil)
		for _, host := range []string{"[::1%evil.org]:80", "[::1%25evil.org]", "::1%evil.org"} {
			if h.serves(host) {
				t.Errorf("%s answers to %s", listen, host)
			}
		}
	}
	if link := "fe80::1%eth0"; !newHosts("["+link+"]:8420", nil).serves("[" + link + "]:8420") {
		t.Errorf("a server does not answer to the address that it listens on, %s", link)
	}
}
