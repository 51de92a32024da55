package main

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/internal/webhook"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// A new best is told when a trial is the best or, with noise, when another setting is expected to be the best. A lucky draw is not told.
func TestNewBestIsNoLuckyDraw(t *testing.T) {
	for noisy, want := range map[bool][]bool{true: {true, false, false, false, false}, false: {true, true, false, false, true}} {
		s := &study.Study{
			Name: "lucky", Objective: study.Objective{Name: "loss", Goal: study.Minimize}, Cost: study.Cost{Unit: "euros", Source: study.Reported},
			Budget: study.Budget{Total: 40}, Noisy: noisy, Policy: study.Policy{Name: "auto"}, Parallel: 1,
			Parameters: []space.Param{{Name: "x", Kind: space.KindFloat, Min: 0, Max: 1}},
		}
		n, r := &notifier{study: s}, study.NewRecord(40, false)
		for i, value := range []float64{0.25, 0.2, 0.9, 1.1, 0.15} {
			x := 0.2
			if i > 1 {
				x = 0.8
			}
			if !noisy { // no setting twice, or there is noise
				x += float64(i) / 100
			}
			for _, e := range []study.Event{
				{Kind: study.EventAsked, Trial: i + 1, Asked: &study.Asked{Setting: space.Setting{"x": space.Float(x)}, Point: []float64{x}, Reserved: 2}},
				{Kind: study.EventFinished, Trial: i + 1, Finished: &study.Finished{State: study.Done, Value: value, Charged: 1}},
			} {
				e.Seq = r.Version + 1
				if err := r.Apply(e); err != nil {
					t.Fatal(err)
				}
			}
			if best, is := n.newBest(r, &r.Trials[i]); is != want[i] || (best.Estimate != nil) != noisy {
				t.Errorf("noise %v, trial %d: %v, %+v", noisy, i+1, is, best)
			}
		}
	}
}

// A notice is signed with the secret, and whoever gets it can check that nothing was changed.
func TestNoticesAreSigned(t *testing.T) {
	t.Setenv(engine.NotifySecret, "hush")
	var got *http.Request
	var body []byte
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		got = r
		body, _ = io.ReadAll(r.Body)
	}))
	defer hook.Close()
	n := &notifier{study: &study.Study{}, Notify: &study.Notify{URL: hook.URL}}
	if err := n.post(t.Context(), webhook.Notice{}, []byte(`{"event":"best"}`)); err != nil {
		t.Fatal(err)
	}
	at := got.Header.Get("Eke-Timestamp")
	mac := hmac.New(sha256.New, []byte("hush"))
	mac.Write([]byte(at + `.{"event":"best"}`))
	if want := "sha256=" + hex.EncodeToString(mac.Sum(nil)); got.Header.Get("Eke-Signature") != want || at == "" || string(body) != `{"event":"best"}` {
		t.Errorf("%v %s", got.Header, body)
	}
}

// What a command of notify leaves in the background is not waited for, whether the command ends well, fails, or takes too long.
func TestNotifyLeavesSomethingBehind(t *testing.T) {
	hold, begun := filepath.Join(t.TempDir(), "hold"), filepath.Join(t.TempDir(), "begun")
	if err := os.WriteFile(hold, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOLD", hold)
	t.Setenv("BEGUN", begun)
	t.Setenv("TMPDIR", t.TempDir())
	const behind = `(while [ -e "$HOLD" ]; do sleep 0.1; done) & `
	news := bytes.Repeat([]byte("news "), 1<<18) // more than a pipe holds
	for script, want := range map[string]string{
		behind + `exit 0`:                  "<nil>",
		`exec 3<&0; ` + behind + `exit 0`:  "<nil>", // nobody reads the news, and somebody might
		behind + `echo sorry; exit 3`:      "the command of notify failed: exit status 3: sorry",
		behind + `echo >"$BEGUN"; wait $!`: "the command of notify failed: signal: killed: ",
	} {
		n := &notifier{study: &study.Study{}, Notify: &study.Notify{Command: []string{"sh", "-c", script}}}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		told := make(chan error, 1)
		go func() { told <- n.run(ctx, webhook.Notice{}, news) }()
		for hangs := time.After(2 * time.Minute); ; {
			select {
			case err := <-told:
				if got := strings.TrimSpace(fmt.Sprint(err)); got != strings.TrimSpace(want) {
					t.Errorf("%s: %s, want %s", script, got, want)
				}
			case <-time.After(10 * time.Millisecond):
				if _, err := os.Stat(begun); err == nil {
					cancel() // its time is over
				}
				continue
			case <-hangs:
				t.Errorf("%s: it still waits", script)
			}
			break
		}
		os.Remove(begun)
	}
	if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) > 0 {
		t.Errorf("files are left: %v, %v", left, err)
	}
}

// What a command of notify leaves in the background goes on, whatever it prints.
func TestNotifyGoesOnInTheBackground(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("RETURNED", filepath.Join(dir, "returned"))
	t.Setenv("ENDED", filepath.Join(dir, "ended"))
	const script = `(trap 'echo "$?" >"$ENDED"' EXIT; trap 'exit 141' PIPE; until [ -e "$RETURNED" ]; do sleep 0.1; done; echo sending; echo really >&2) & exit 0`
	n := &notifier{study: &study.Study{}, Notify: &study.Notify{Command: []string{"sh", "-c", script}}}
	if err := errors.Join(n.run(t.Context(), webhook.Notice{}, nil), os.WriteFile(os.Getenv("RETURNED"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	for ended := ""; ended != "0\n"; time.Sleep(10 * time.Millisecond) {
		if raw, err := os.ReadFile(os.Getenv("ENDED")); err == nil {
			ended = string(raw)
		}
		if ended != "" && ended != "0\n" {
			t.Fatalf("what it left ended with the code %s", ended)
		}
	}
}
