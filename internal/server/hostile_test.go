//go:build linux

package server_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/server"
)

// hostilities are what sixty connections of one token can do without end.
var hostilities = map[string]func(*attacker){
	"nothing":                       func(*attacker) { time.Sleep(100 * time.Millisecond) },
	"uploads that do not go on":     (*attacker).stall,
	"heartbeats that do not go on":  (*attacker).stallHeartbeat,
	"large bodies":                  (*attacker).flood,
	"study files that take long":    (*attacker).define,
	"reads of models":               (*attacker).model,
	"asks that take long":           (*attacker).think,
	"answers that nobody reads":     (*attacker).deafen,
	"as many reads as there can be": (*attacker).hammer,
}

// TestHostileConnections measures how long another group's asks, heartbeats and results take while one token does its worst on sixty
// connections, and how much memory the server takes, as a process of its own.
//
//	EKE_HOSTILE=20s go test -v -run TestHostileConnections ./internal/server
func TestHostileConnections(t *testing.T) {
	each, err := time.ParseDuration(os.Getenv("EKE_HOSTILE"))
	if err != nil {
		t.Skip("it measures time: set EKE_HOSTILE to how long each hostility lasts, such as 20s")
	}
	for name, do := range hostilities {
		t.Run(name, func(t *testing.T) {
			k := newKilled(t, usual())
			st, err := openAt(t.Context(), k.place)
			if err != nil {
				t.Fatal(err)
			}
			g := &given{t: t, url: "http://" + k.address, client: http.DefaultClient, store: st}
			bad, good := g.member(server.Admin, "bad"), g.member(server.Admin, "good")
			child := k.start()
			defer func() { _ = child.Process.Kill(); _ = child.Wait() }()
			g.token = bad
			for i := range 8 {
				study := fmt.Sprintf("planned-%d", i)
				g.create(strings.Replace(planned, "name: planned", "name: "+study, 1))
				observe(t, st, study, 100)
			}
			g.create(strings.NewReplacer("name: planned", "name: long", "total: 1000", "total: 1e9").Replace(planned))
			observe(t, st, "long", 20_000)
			st.Close()
			g.token = good
			g.create(strings.Replace(kiln, "total: 100", "total: 100000", 1))

			var stop atomic.Bool
			var hostile sync.WaitGroup
			for i := range 60 {
				hostile.Go(func() {
					for n := 0; !stop.Load(); n++ {
						do(&attacker{k.address, bad, i, n, &stop})
					}
				})
			}
			time.Sleep(time.Second) // they are at it
			c := &chatter{g: g, took: map[string][]time.Duration{}}
			var talking sync.WaitGroup
			for i := range 4 {
				talking.Go(func() { c.talk(i, each) })
			}
			talking.Wait()
			stop.Store(true)
			peak := memoryOf(t, child.Process.Pid)
			_ = child.Process.Kill() // and with it all that wait
			hostile.Wait()
			for what, list := range c.took {
				slices.Sort(list)
				p99 := list[len(list)*99/100]
				t.Logf("%s: %d, half of them within %v, 99 %% within %v", what, len(list), list[len(list)/2].Round(time.Millisecond), p99.Round(time.Millisecond))
				if p99 > time.Second {
					t.Errorf("%s: 99 %% within %v", what, p99)
				}
			}
			if t.Logf("%d MiB at most", peak); peak > mostMemory {
				t.Errorf("the server used %d MiB", peak)
			}
		})
	}
}

// talk is what an honest worker says.
func (c *chatter) talk(worker int, lasting time.Duration) {
	me := fmt.Sprintf(`{"worker":"w%d"}`, worker)
	for end := time.Now().Add(lasting); time.Now().Before(end); {
		var l api.Leases
		c.timed("asks", "/studies/kiln/ask", me, &l)
		path := fmt.Sprintf("/studies/kiln/trials/%d/", l.Trials[0].Number)
		for range 3 {
			time.Sleep(20 * time.Millisecond)
			c.timed("heartbeats", path+"heartbeat", me, nil)
		}
		c.timed("tells", path+"tell", `{"value":1,"cost":1}`, nil)
	}
}

// attacker is one connection, for as long as it is of use.
type attacker struct {
	address, token string
	number, turn   int
	stop           *atomic.Bool
}

// open sends the head of a request and the beginning of its body, and returns the connection.
func (a *attacker) open(method, path string, size int, body string) net.Conn {
	conn, err := net.Dial("tcp", a.address)
	if err != nil {
		time.Sleep(10 * time.Millisecond)
		return nil
	}
	fmt.Fprintf(conn, "%s /api/v1%s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		method, path, a.address, a.token, size, body)
	return conn
}

// linger keeps a connection until the server has had enough of it. If it refuses, the attacker comes again at once.
func (a *attacker) linger(conn net.Conn) {
	if conn != nil {
		_, _ = io.Copy(io.Discard, conn)
		conn.Close()
	}
}

func (a *attacker) stall() {
	a.linger(a.open("POST", "/studies/long/trials/1/files/stdout", 1<<20, "{"))
}
func (a *attacker) stallHeartbeat() {
	a.linger(a.open("POST", "/studies/long/trials/1/heartbeat", 64<<10, "{"))
}

// deafen asks for the longest answer there is, and does not read it.
func (a *attacker) deafen() {
	conn := a.open("GET", "/studies/long/columns", 0, "")
	for conn != nil && !a.stop.Load() {
		time.Sleep(100 * time.Millisecond)
	}
	if conn != nil {
		conn.Close()
	}
}

func (a *attacker) send(method, path, kind, body string) {
	r, err := http.NewRequest(method, "http://"+a.address+"/api/v1"+path, strings.NewReader(body))
	if err != nil {
		return
	}
	r.Header.Set("Authorization", "Bearer "+a.token)
	r.Header.Set("Content-Type", kind)
	if resp, err := http.DefaultClient.Do(r); err == nil {
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
}

var manyResults = sync.OnceValue(func() string {
	raw, _ := json.Marshal(map[string]any{"dry_run": true, "results": slices.Repeat([]any{map[string]any{"setting": map[string]any{"x": 0.1, "y": 0.2, "n": 3}, "value": 1}}, 10_000)})
	return string(raw)
})

var manyKeys = sync.OnceValue(func() string {
	var keys strings.Builder
	for i := range 9000 {
		fmt.Fprintf(&keys, "k%d: 1\n", i)
	}
	return keys.String()
})

func (a *attacker) flood() {
	a.send("POST", "/studies/planned-0/results", "application/json", manyResults())
}
func (a *attacker) define() { a.send("POST", "/studies", "application/yaml", manyKeys()) }
func (a *attacker) hammer() { a.send("GET", "/studies/long/trials", "", "") }
func (a *attacker) model() {
	study := fmt.Sprintf("/studies/planned-%d/", a.number%8)
	what := []string{"insight", "rest", fmt.Sprintf("rest?add=%d", a.number*1000+a.turn), "heat?a=x&b=y&n=128", "report"}[a.number%5]
	a.send("GET", study+what, "", "")
}
func (a *attacker) think() {
	a.send("POST", fmt.Sprintf("/studies/planned-%d/ask", a.number%8), "application/json", `{"worker":"w"}`)
}
