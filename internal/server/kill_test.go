package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/study"
)

// TestKill kills the server again and again while eight clients ask and tell, repeating with their keys what was not answered.
// Nothing that was acknowledged is lost, nothing is there twice, and the ledger keeps its law: EKE_KILLS=200 go test -run TestKill ./internal/server.
func TestKill(t *testing.T) {
	kills := 20
	if n, err := strconv.Atoi(os.Getenv("EKE_KILLS")); err == nil {
		kills = n
	} else if testing.Short() {
		kills = 5
	}
	for _, kind := range kinds() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			kill(t, kind, kills)
		})
	}
}

// newKilled returns a place and an address for servers that are processes of their own.
func newKilled(t testing.TB, kind string) *killed {
	t.Helper()
	k := &killed{t: t, place: newPlace(t, kind), acked: map[string]told{}, given: map[string]string{}, changed: map[string]int{}}
	// While no server listens, somebody else's connection might get a port of those that the system hands out, which are above these.
	for k.address == "" {
		if l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 12000+rand.IntN(20000))); err == nil {
			k.address = l.Addr().String()
			l.Close()
		}
	}
	return k
}

func kill(t *testing.T, kind string, kills int) {
	k := newKilled(t, kind)
	ctx, stop := context.WithCancel(t.Context())
	var clients sync.WaitGroup
	for client := range 8 {
		clients.Go(func() { k.client(ctx, client) })
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for n := 0; n < kills || n < 10*kills && !k.hit(); n++ { // a busy machine takes more
		child := k.start()
		time.Sleep(time.Duration(20+rng.IntN(400)) * time.Millisecond)
		if err := child.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = child.Wait()
	}
	last := k.start()
	defer func() { _ = last.Process.Kill(); _ = last.Wait() }()
	time.Sleep(2 * time.Second)
	waitFor(t, k.meddled)
	stop()
	clients.Wait() // they finish what they have begun
	k.audit(kills)
}

// hit says whether a kill has cost somebody an answer.
func (k *killed) hit() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.lost > 0
}

// meddled says whether all that may happen beside has happened.
func (k *killed) meddled() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.acked) > 0 && len(k.forgotten) > 0 && len(k.printed) > 0 && len(k.stopped) > 0 && len(k.changed) > 0
}

// told is a result that the server acknowledged.
type told struct{ value, cost float64 }

type killed struct {
	t              testing.TB
	place, address string
	study          atomic.Int64 // that is being worked on; when its money is spent, the next one is

	mu      sync.Mutex
	acked   map[string]told   // by study and trial
	given   map[string]string // to which request each trial was given
	repeats int               // requests that were sent again
	lost    int               // answers that never came

	printed, forgotten, stopped []string       // trials, by study and number
	changed                     map[string]int // studies whose file was changed, and how often
}

func (k *killed) start() *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		k.t.Fatal(err)
	}
	child := exec.Command(self)
	child.Env = append(os.Environ(), "EKE_TEST_SERVE="+k.place, "EKE_TEST_LISTEN="+k.address)
	child.Stderr = os.Stderr
	if err := child.Start(); err != nil {
		k.t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if resp, err := http.Get("http://" + k.address + "/healthz"); err == nil {
			resp.Body.Close()
			return child
		}
		if time.Now().After(end) {
			k.t.Fatal("the server does not start")
		}
	}
}

// send sends a request until it is answered. Only that the server cannot, or is not there, is a reason to repeat.
func (k *killed) send(path, body, key string) (status int, raw []byte) {
	for {
		status, raw, err := k.try(path, body, key)
		if err == nil && status < 500 {
			return status, raw
		}
		k.mu.Lock()
		if k.repeats++; err != nil && !errors.Is(err, errRefused) {
			k.lost++
		}
		k.mu.Unlock()
		time.Sleep(5 * time.Millisecond)
	}
}

var errRefused = errors.New("nobody listens")

func (k *killed) try(path, body, key string) (int, []byte, error) {
	r, err := http.NewRequest(http.MethodPost, "http://"+k.address+"/api/v1"+path, bytes.NewReader([]byte(body)))
	if err != nil {
		k.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	resp, err := http.DefaultClient.Do(r)
	if op := (*net.OpError)(nil); errors.As(err, &op) && op.Op == "dial" {
		return 0, nil, errRefused
	}
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	return resp.StatusCode, raw, err
}

// create begins a study.
func (k *killed) create(i int64) string {
	name := fmt.Sprintf("killed-%d", i)
	if status, raw := k.send("/studies", asJSON(killedFile(name)), "create"); status != 201 && status != 409 {
		k.t.Errorf("%d %s", status, raw)
	}
	return name
}

// killedFile is the file of a study: of reported costs, or of wall time.
func killedFile(name string) string {
	cost, total, limit := "{source: reported}", "20", "2"
	if strings.HasSuffix(name, "1") {
		cost, total, limit = "{source: walltime}", "20s", "2s"
	}
	return fmt.Sprintf("name: %s\nobjective: {goal: minimize}\ncost: %s\nbudget: {total: %s, per_trial: %s}\n"+
		"parameters: {x: {type: float, min: 0, max: 1}}\npolicy: {name: random}\n", name, cost, total, limit)
}

// asJSON is a study file as a request in JSON.
func asJSON(file string) string {
	raw, _ := json.Marshal(map[string]string{"yaml": file}) // a string can be written
	return string(raw)
}

func (k *killed) client(ctx context.Context, client int) {
	rng := rand.New(rand.NewPCG(3, uint64(client)))
	known, rounds := int64(-1), 0
	for i := 0; ctx.Err() == nil; i++ {
		at := k.study.Load()
		name := fmt.Sprintf("killed-%d", at)
		if at != known {
			name, known = k.create(at), at
		}
		key := fmt.Sprintf("c%d-%d", client, i)
		status, raw := k.send("/studies/"+name+"/ask", fmt.Sprintf(`{"worker":"c%d"}`, client), key)
		if status != 200 {
			k.refused(at, status, raw)
			continue
		}
		var l api.Leases
		if err := json.Unmarshal(raw, &l); err != nil || len(l.Trials) != 1 {
			k.t.Errorf("%s", raw)
			return
		}
		k.upload(name, client, l.Trials[0].Number)
		turn := (client + rounds) % 8 // each client does something else, so that all of it is done however few rounds there are
		rounds++
		if turn == 5 { // and finishes it all the same
			k.stop(name, l.Trials[0].Number)
		}
		k.finish(rng, name, key, l.Trials[0].Number)
		k.meddle(turn, name, key, l.Trials[0].Number)
	}
}

// stop has a trial stopped that is under way.
func (k *killed) stop(name string, trial int) {
	switch status, raw := k.send(fmt.Sprintf("/studies/%s/trials/%d/stop", name, trial), "", ""); status {
	case http.StatusOK:
		k.mu.Lock()
		defer k.mu.Unlock()
		k.stopped = append(k.stopped, fmt.Sprintf("%s/%d", name, trial))
	case http.StatusConflict: // its lease was lost
	default:
		k.t.Errorf("%d %s", status, raw)
	}
}

// upload sends what a trial prints, in two parts.
func (k *killed) upload(name string, client, trial int) {
	for _, p := range []struct {
		offset int
		data   string
	}{{0, "begin "}, {6, "end"}} {
		raw, _ := json.Marshal(part(fmt.Sprintf("c%d", client), p.offset, p.data))
		if status, answer := k.send(fmt.Sprintf("/studies/%s/trials/%d/files/stdout", name, trial), string(raw), ""); status != 200 {
			k.t.Errorf("%d %s", status, answer)
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.printed = append(k.printed, fmt.Sprintf("%s/%d", name, trial))
}

// meddle does what people do beside: stop, pause, forget, change, delete. All of it may be repeated, and what is so already is fine.
func (k *killed) meddle(turn int, name, key string, trial int) {
	want := func(path, body string, fine ...int) {
		if status, raw := k.send("/studies/"+path, body, ""); !slices.Contains(fine, status) {
			k.t.Errorf("%s: %d %s", path, status, raw)
		}
	}
	switch turn {
	case 0:
		want(fmt.Sprintf("%s/trials/%d/stop", name, trial), "", 409) // it has ended
	case 1:
		want(name+"/pause", "", 200)
		want(name+"/resume", "", 200)
	case 2:
		want(name+"/forget", fmt.Sprintf(`{"trials":[%d]}`, trial), 200)
		k.mu.Lock()
		defer k.mu.Unlock()
		k.forgotten = append(k.forgotten, fmt.Sprintf("%s/%d", name, trial))
	case 3:
		want(name+"/definition", asJSON(killedFile(name)+fmt.Sprintf("parallel: %d\n", 1+trial)), 200)
		k.mu.Lock()
		defer k.mu.Unlock()
		k.changed[name]++
	case 4:
		scratch := "scratch-" + key
		file, _ := json.Marshal(map[string]string{"yaml": named(scratch)})
		if status, raw := k.send("/studies", string(file), ""); status != 201 && status != 409 {
			k.t.Errorf("%d %s", status, raw)
		}
		want(scratch+"/labels", `{"tags":["scratch"]}`, 200)
		want(scratch+"/delete", fmt.Sprintf(`{"confirm":%q}`, scratch), 200, 404) // 404 if it was done, and the answer was lost
	}
}

func (k *killed) refused(at int64, status int, raw []byte) {
	var p api.Problem
	switch _ = json.Unmarshal(raw, &p); p.Code {
	case fault.BudgetSpent, fault.NotWorth:
		k.study.CompareAndSwap(at, at+1)
	case fault.BudgetPending:
		time.Sleep(10 * time.Millisecond)
	default:
		k.t.Errorf("%d %s", status, raw)
		time.Sleep(time.Second)
	}
}

func (k *killed) finish(rng *rand.Rand, name, key string, trial int) {
	id := fmt.Sprintf("%s/%d", name, trial)
	k.mu.Lock()
	if other, twice := k.given[id]; twice {
		k.t.Errorf("trial %s was given for %s and for %s", id, other, key)
	}
	k.given[id] = key
	k.mu.Unlock()
	time.Sleep(time.Duration(rng.IntN(20)) * time.Millisecond)
	result := told{rng.Float64(), 0.1 + 0.8*rng.Float64()}
	status, raw := k.send(fmt.Sprintf("/studies/%s/trials/%d/tell", name, trial), fmt.Sprintf(`{"value":%v,"cost":%v}`, result.value, result.cost), key)
	if status != 200 {
		k.t.Errorf("%s: %d %s", id, status, raw)
		return
	}
	var t api.Trial
	if err := json.Unmarshal(raw, &t); err != nil || t.State != study.Done || *t.Value != result.value {
		k.t.Errorf("%s: %s", id, raw)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.acked[id] = result
}

// audit compares what is in the store with what was acknowledged.
func (k *killed) audit(kills int) {
	st, err := openAt(k.t.Context(), k.place)
	if err != nil {
		k.t.Fatal(err)
	}
	defer st.Close()
	headers, err := st.List(k.t.Context())
	if err != nil {
		k.t.Fatal(err)
	}
	events, states, found := k.compare(st, headers)
	if found != len(k.acked) {
		k.t.Errorf("%d results were acknowledged, %d are there", len(k.acked), found)
	}
	if states[study.Done] != len(k.acked) {
		k.t.Errorf("%d results were acknowledged, %d trials are done", len(k.acked), states[study.Done])
	}
	k.auditMeddling(st, headers)
	k.t.Logf("%d kills, %d studies, %d events, trials %v, %d results acknowledged, %d requests repeated, of these %d whose answer was lost",
		kills, len(headers), events, states, len(k.acked), k.repeats, k.lost)
	if k.lost == 0 {
		k.t.Error("the kills hit nothing")
	}
}

// auditMeddling looks whether all that was acknowledged beside results is there.
func (k *killed) auditMeddling(st store.Store, headers []store.Header) {
	records := map[string]*study.Record{}
	for _, h := range headers {
		if strings.HasPrefix(h.Name, "scratch-") {
			k.t.Errorf("study %s was deleted, and is there", h.Name)
		}
		records[h.Name] = lawful(k.t, st, h.Name)
		if records[h.Name].Paused {
			k.t.Errorf("study %s was resumed, and is paused", h.Name)
		}
	}
	of := func(id string) (name string, trial int) {
		name, number, _ := strings.Cut(id, "/")
		trial, _ = strconv.Atoi(number)
		return name, trial
	}
	for _, id := range k.forgotten {
		if name, trial := of(id); !records[name].Trials[trial-1].Forgotten {
			k.t.Errorf("%s was forgotten, and is not", id)
		}
	}
	for _, id := range k.stopped {
		if name, trial := of(id); !stopAsked(k.t, st, name, trial) {
			k.t.Errorf("%s was to be stopped, and nobody knows", id)
		}
	}
	for name := range k.changed {
		if records[name].Definition == nil {
			k.t.Errorf("study %s was changed, and is as it was", name)
		}
	}
	for _, id := range k.printed {
		name, trial := of(id)
		_, parts, err := st.(store.Files).ReadFile(k.t.Context(), name, trial, "stdout", 0, 1000)
		text := ""
		for _, p := range parts {
			text += string(p.Data)
		}
		if err != nil || text != "begin end" {
			k.t.Errorf("%s printed %q, %v", id, text, err)
		}
	}
}

// stopAsked looks for the wish to have a trial stopped in the log.
func stopAsked(t testing.TB, st store.Store, name string, trial int) bool {
	t.Helper()
	_, events, err := st.Read(t.Context(), name, 0)
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(events, func(e study.Event) bool { return e.Kind == study.EventStop && e.Trial == trial })
}

func (k *killed) compare(st store.Store, headers []store.Header) (events int64, states map[study.State]int, found int) {
	states = map[study.State]int{}
	for _, h := range headers {
		r := lawful(k.t, st, h.Name)
		events += r.Version
		for _, trial := range r.Trials {
			states[trial.State]++
			id := fmt.Sprintf("%s/%d", h.Name, trial.Number)
			want, ok := k.acked[id]
			if !ok {
				continue
			}
			found++
			// Where the cost is wall time no more is charged than is there.
			if trial.State != study.Done || trial.Value != want.value || (!h.Measured && trial.Charged != want.cost) || trial.Charged > want.cost {
				k.t.Errorf("%s was told %+v, the store has %+v", id, want, trial)
			}
			if key, _, _ := strings.Cut(trial.AskKey, " "); key != k.given[id] {
				k.t.Errorf("%s was given for %s, the store says for %s", id, k.given[id], trial.AskKey)
			}
		}
	}
	return events, states, found
}
