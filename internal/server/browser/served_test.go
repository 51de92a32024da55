package browser_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/server"
	"github.com/eke-bo/eke/internal/server/dashboard"
	"github.com/eke-bo/eke/store"
	"github.com/eke-bo/eke/store/sqlite"
)

// served is a real server on a file, on a port of this machine.
type served struct {
	t       testing.TB
	store   store.Store
	address string
	url     string
	token   string // for the test's own requests
	stop    func()
}

// serve starts one, for tests that need a browser.
func serve(t testing.TB) *served {
	t.Helper()
	if chromium == nil {
		t.Skip(missing)
	}
	st, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "eke.db"))
	if err != nil {
		t.Fatal(err)
	}
	s := &served{t: t, store: st}
	s.start()
	t.Cleanup(func() {
		s.stop()
		st.Close()
	})
	return s
}

// start begins to listen, after a stop at the same address as before. While no server listens, somebody else might get a port of those
// that the system hands out, which are above these.
func (s *served) start() {
	s.t.Helper()
	var listener net.Listener
	var err error
	for begin := time.Now(); ; {
		listener, err = net.Listen("tcp", cmp.Or(s.address, fmt.Sprintf("127.0.0.1:%d", 12000+rand.IntN(20000))))
		if err == nil {
			break
		}
		if time.Since(begin) > patience {
			s.t.Fatal(err)
		}
		time.Sleep(50 * time.Millisecond)
	}
	s.address = listener.Addr().String()
	s.url = "http://" + s.address
	// A trial that is left open stays so, however long a test takes.
	made := server.New(server.Config{Store: s.store, Listen: s.address, Lease: time.Hour, Dashboard: dashboard.Handler()})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- made.Serve(ctx, listener, nil) }()
	s.stop = func() {
		cancel()
		if err := <-ended; err != nil {
			s.t.Error(err)
		}
		made.Close()
		s.stop = func() {}
	}
}

// post sends a request and reads the answer. It is safe in goroutines: what goes wrong is returned.
func (s *served) post(path, kind string, body []byte, into any) error {
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.url+"/api/v1"+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", kind)
	if s.token != "" {
		r.Header.Set("Authorization", "Bearer "+s.token)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode >= 300 {
		return fmt.Errorf("%s: %d: %s", path, resp.StatusCode, raw)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(raw, into)
}

func (s *served) create(file string) {
	s.t.Helper()
	if err := s.post("/studies", "application/yaml", []byte(file), nil); err != nil {
		s.t.Fatal(err)
	}
}

// trial is what the tests need to know of one.
type trial struct {
	Number  int            `json:"number"`
	Setting map[string]any `json:"setting"`
	value   float64
	cost    float64
	metrics map[string]float64
}

func (s *served) ask(study string) (trial, error) {
	var got struct{ Trials []trial }
	if err := s.post("/studies/"+study+"/ask", "application/json", []byte(`{"worker":"oven-1"}`), &got); err != nil {
		return trial{}, err
	}
	t := got.Trials[0]
	t.value, t.cost = loss(t.Setting)
	return t, nil
}

func (s *served) tell(study string, t trial) error {
	body, err := json.Marshal(map[string]any{"value": t.value, "cost": t.cost, "metrics": t.metrics})
	if err != nil {
		return err
	}
	return s.post(fmt.Sprintf("/studies/%s/trials/%d/tell", study, t.Number), "application/json", body, nil)
}

// answer asks, has the result set, and tells it.
func (s *served) answer(study string, set func(t *trial)) {
	s.t.Helper()
	t, err := s.ask(study)
	if err == nil {
		set(&t)
		err = s.tell(study, t)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// work asks and tells n times.
func (s *served) work(study string, n int) (done []trial) {
	s.t.Helper()
	for range n {
		s.answer(study, func(t *trial) { done = append(done, *t) })
	}
	return done
}

// loss is what is tuned: smooth, with costs that differ, and rounded so that texts can be compared.
func loss(setting map[string]any) (value, cost float64) {
	lr, _ := setting["lr"].(float64)
	layers, _ := setting["layers"].(float64)
	at := math.Log10(math.Max(lr, 1e-9)) + 2.5
	value = 0.2 + 0.1*at*at + 0.02*(layers-4)*(layers-4)
	if setting["optimizer"] == "sgd" {
		value += 0.05
	}
	return math.Round(value*1e4) / 1e4, 1 + math.Round(layers*50)/100
}

// bestOf is the trial with the least value.
func bestOf(list []trial) trial {
	best := list[0]
	for _, t := range list {
		if t.value < best.value {
			best = t
		}
	}
	return best
}

// net1 is a study like the one that the page proposes.
const net1 = `name: net
objective: {name: loss, goal: minimize}
cost: {source: reported, unit: GPU-hours}
budget: {total: 100}
parameters:
  lr: {type: float, min: 1e-5, max: 0.1, log: true}
  layers: {type: int, min: 1, max: 8}
  optimizer: {type: choice, values: [sgd, adam]}
`
