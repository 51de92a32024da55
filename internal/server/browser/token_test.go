package browser_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/server"
	"github.com/eke-bo/eke/store"
)

// issue makes a token in the server's store.
func (s *served) issue(role server.Role) (secret string) {
	s.t.Helper()
	secret, token := server.NewToken(role, "test")
	if err := s.store.(store.Tokens).AddToken(s.t.Context(), token); err != nil {
		s.t.Fatal(err)
	}
	return secret
}

// closed waits until the server lets in nobody without a token, and knows these: it looks for new ones once a second.
func (s *served) closed(secrets ...string) {
	s.t.Helper()
	for _, secret := range append([]string{""}, secrets...) {
		want := http.StatusOK
		if secret == "" {
			want = http.StatusUnauthorized
		}
		for begin := time.Now(); ; time.Sleep(20 * time.Millisecond) {
			r, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.url+"/api/v1/me", nil)
			if err != nil {
				s.t.Fatal(err)
			}
			if secret != "" {
				r.Header.Set("Authorization", "Bearer "+secret)
			}
			resp, err := http.DefaultClient.Do(r)
			if err != nil {
				s.t.Fatal(err)
			}
			resp.Body.Close()
			if resp.StatusCode == want {
				break
			}
			if time.Since(begin) > patience {
				s.t.Fatalf("the server answers %d, want %d", resp.StatusCode, want)
			}
		}
	}
}

// Where tokens are needed the page asks for one until it is right, and keeps it for this tab alone.
func TestWrongAndRightToken(t *testing.T) {
	s := serve(t)
	s.create(net1)
	s.token = s.issue(server.Admin)
	reader := s.issue(server.Reader)
	s.closed(s.token, reader)

	p := s.open("/studies/net")
	p.see("token-dialog")
	p.shoot("token")
	p.fill("token", "eke_wrong")
	p.click("token-submit")
	p.wait(at("token-dialog") + "?.innerText.includes('does not know this token')")
	p.fill("token", reader)
	p.click("token-submit")
	p.wait("!" + at("token-dialog"))
	p.is(attr("live", "data-state"), "live")
	p.is(`sessionStorage.getItem("eke-token")`, reader)
	p.is("JSON.stringify(localStorage).includes('eke_')", false)
	p.is("document.cookie", "")

	// A reader looks, and sees no button that would be refused.
	s.work("net", 2)
	p.is(attr("money-chart", "data-count"), "2")
	for _, id := range []string{"add-budget", "pause", "end-study", "tab-enter", "nav-new"} {
		p.is(at(id), nil)
	}
	p.click("tab-trials")
	p.click("trial-2")
	p.see("trial-detail", "why-words")
	for _, id := range []string{"forget-trial", "retry-trial", "correct-trial"} {
		p.is(at(id), nil)
	}
	p.eval("(sessionStorage.setItem('eke-token', '" + s.token + "'), setTimeout(() => location.reload()))")
	p.see("forget-trial", "retry-trial", "correct-trial", "end-study", "tab-enter", "nav-new") // an admin sees them all
	p.quiet()
}

// A browser has six connections to a server. Pages that were left, and are kept for the way back, must not hold them.
func TestPagesThatWereLeftDoNotListen(t *testing.T) {
	s := serve(t)
	s.create(net1)
	s.work("net", 2)
	p := s.open("/studies/net")
	for range 8 {
		for _, tab := range []string{"", "/trials"} {
			p.visit("/studies/net" + tab)
			p.is(attr("live", "data-state"), "live")
		}
	}
	p.is(`fetch("/metrics").then(r => r.text()).then(t => t.match(/^eke_streams (\d+)/m)[1])`, "1")
	s.work("net", 1)
	p.eval("setTimeout(() => history.back())") // and there they hear of what they have missed
	p.is(attr("money-chart", "data-count"), "3")
	p.is(attr("live", "data-state"), "live")
	p.quiet()
}

// What happens while the server is away is shown when it is back.
func TestServerGoesAndComesBack(t *testing.T) {
	s := serve(t)
	s.create(net1)
	s.work("net", 2)
	p := s.open("/studies/net")
	p.is(attr("money-chart", "data-count"), "2")
	p.is(attr("live", "data-state"), "live")
	s.stop()
	p.is(attr("live", "data-state"), "waiting")
	s.start()
	s.work("net", 2)
	p.is(attr("money-chart", "data-count"), "4")
	p.is(attr("live", "data-state"), "live")
	p.quiet()
}

// The first token that is made closes the server. An admin makes others, sees each once, and revokes them.
func TestTokensAreManaged(t *testing.T) {
	s := serve(t)
	p := s.open("/")
	p.click("nav-tokens")
	p.see("token-role")
	p.choose("token-role", "admin")
	p.fill("token-name", "ada")
	p.click("make-token")
	p.wait(at("made-token") + "?.innerText.startsWith('eke_')")
	if covered := p.still("String(" + at("token-dialog") + " !== null)"); covered != "false" {
		t.Error("what is shown only once is covered")
	}
	admin := p.text("made-token")
	s.closed(admin)
	p.visit("/tokens")
	p.fill("token", admin)
	p.click("token-submit")
	rows := "[..." + at("tokens") + "?.querySelectorAll('tbody tr') ?? []].map(r => [r.cells[0].innerText, r.cells[1].innerText])"
	p.is(rows, [][]string{{"ada", "admin"}})
	p.fill("token-name", "bob")
	p.click("make-token")
	p.is(rows, [][]string{{"ada", "admin"}, {"bob", "reader"}})
	p.shoot("tokens")
	p.eval("document.querySelectorAll('[data-testid^=\"revoke-\"]')[1].click()")
	p.click("revoke-submit")
	p.is(rows, [][]string{{"ada", "admin"}})
	p.quiet()
}
