package server_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/textproto"
	"strings"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/server"
	"github.com/eke-bo/eke/store"
)

// member makes a token of a group.
func (g *given) member(role server.Role, group string) (secret string) {
	g.t.Helper()
	secret, token := server.NewToken(role, group)
	token.Group = group
	if err := g.store.(store.Tokens).AddToken(g.t.Context(), token); err != nil {
		g.t.Fatal(err)
	}
	return secret
}

// upload begins a request whose body never comes. The server asks for the body when it is about to read it.
type upload struct {
	conn   net.Conn
	answer *bufio.Reader
}

func (g *given) begin(token, path string, size int) *upload {
	g.t.Helper()
	address := strings.TrimPrefix(g.url, "http://")
	conn, err := net.Dial("tcp", address)
	if err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(func() { conn.Close() })
	if _, err := fmt.Fprintf(conn, "POST /api/v1%s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n",
		path, address, token, size); err != nil {
		g.t.Fatal(err)
	}
	return &upload{conn, bufio.NewReader(conn)}
}

// status waits for what the server says: 100 if it is about to read the body.
func (u *upload) status(t testing.TB) string {
	t.Helper()
	if err := u.conn.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	line, err := textproto.NewReader(u.answer).ReadLine()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(line)[1]
}

// Sixty uploads of one token that do not go on stop neither another group nor, for what keeps trials alive, the token itself.
func TestSlowUploadsStopNobody(t *testing.T) {
	t.Parallel()
	g := serve(t)
	good, bad := g.member(server.Admin, "good"), g.member(server.Admin, "bad")
	for token, name := range map[string]string{good: "kiln", bad: "oven"} {
		g.token = token
		g.create(strings.Replace(kiln, "name: kiln", "name: "+name, 1))
		g.post("/studies/"+name+"/ask", `{"worker":"w","count":2}`).fine(200, nil)
	}
	file := "/studies/oven/trials/1/files/stdout"
	for range 4 { // of a mebibyte each
		u := g.begin(bad, file, 1<<20)
		if status := u.status(t); status != "100" {
			t.Fatalf("an upload got %s", status)
		}
		if _, err := u.conn.Write([]byte("{")); err != nil {
			t.Fatal(err)
		}
	}
	for range 56 {
		g.begin(bad, file, 1<<20)
	}
	for token, name := range map[string]string{good: "kiln", bad: "oven"} {
		g.token = token
		g.post("/studies/"+name+"/trials/1/heartbeat", `{"worker":"w"}`).fine(200, nil)
		g.post("/studies/"+name+"/trials/1/tell", `{"value":1,"cost":1}`).fine(200, nil)
		g.post("/studies/"+name+"/trials/2/fail", `{"cost":1}`).fine(200, nil)
	}
	g.token = good
	g.post("/studies/kiln/ask", `{"worker":"w"}`).fine(200, nil)
	g.post("/studies/kiln/trials/3/files/stdout", `{"worker":"w","offset":0,"data":"aGVsbG8K"}`).fine(200, nil)
	g.create(timed)
	g.call(http.MethodGet, "/healthz", nil).fine(200, nil)
}

// Heartbeats that do not go on keep nobody but their own token from being heard.
func TestSlowHeartbeats(t *testing.T) {
	t.Parallel()
	g := serve(t)
	good, bad := g.member(server.Admin, "good"), g.member(server.Admin, "bad")
	g.token = good
	g.create(kiln)
	g.post("/studies/kiln/ask", `{"worker":"w"}`).fine(200, nil)
	for range 8 {
		if status := g.begin(bad, "/studies/none/trials/1/heartbeat", 64<<10).status(t); status != "100" {
			t.Fatalf("a heartbeat got %s", status)
		}
	}
	for range 52 {
		g.begin(bad, "/studies/none/trials/1/heartbeat", 64<<10)
	}
	g.post("/studies/kiln/trials/1/heartbeat", `{"worker":"w"}`).fine(200, nil)
	g.post("/studies/kiln/trials/1/tell", `{"value":1,"cost":1}`).fine(200, nil)
}

// A body that is longer than it may be is refused before it is sent; a body that nobody wants is not waited for.
func TestBodiesThatNobodyReads(t *testing.T) {
	t.Parallel()
	g, stop := really(t, nil)
	g.token = g.member(server.Admin, "")
	g.create(kiln)
	if status := g.begin(g.token, "/studies/kiln/trials/1/tell", 64<<10+1).status(t); status != "413" {
		t.Errorf("a long result got %s", status)
	}
	if status := g.begin("eke_wrong", "/studies/kiln/ask", 1000).status(t); status != "401" {
		t.Errorf("a stranger got %s", status)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}
