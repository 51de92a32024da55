package source_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/runner"
	"github.com/eke-bo/eke/store"
)

// What a trial prints is at the server while it runs and afterwards, with its artifacts, and with where it ran, but not with secrets.
func TestWorkersUpload(t *testing.T) {
	t.Setenv("AWS_SECRET_ACCESS_KEY", "hush")
	t.Setenv("OMP_NUM_THREADS", "3")
	h := newSite(t, time.Minute)
	h.create(reported, `echo "begin $EKE_TRIAL"; echo oops >&2; until test -e seen; do sleep 0.02; done; mkdir "$EKE_DIR/artifacts"; printf 'PNG\000' > "$EKE_DIR/artifacts/plot.png"; ln -s /etc/passwd "$EKE_DIR/artifacts/link"
		echo "{\"strength\": $EKE_PARAM_X, \"cost\": 20}"`)
	var told heard
	c := h.config("kiln", &told)
	over := make(chan error, 1)
	go func() {
		_, err := runner.Run(t.Context(), c)
		over <- err
	}()
	files := h.store.(store.Files)
	content := func(name string) string {
		_, parts, err := files.ReadFile(t.Context(), "kiln", 1, name, 0, 1<<20)
		if err != nil {
			return ""
		}
		var b strings.Builder
		for _, p := range parts {
			b.Write(p.Data)
		}
		return b.String()
	}
	for content("stdout") != "begin 1\n" { // the trial goes on until this was seen
		select {
		case err := <-over:
			t.Fatalf("nothing of a running trial was there: %q, %v", content("stdout"), err)
		case <-time.After(20 * time.Millisecond):
		}
	}
	if r := h.record("kiln"); r.Trials[0].State.Ended() {
		t.Error("the trial has ended already")
	}
	if err := os.WriteFile(filepath.Join(c.WorkDir, "seen"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := <-over; err != nil {
		t.Fatal(err)
	}
	if got := content("stdout"); !strings.HasPrefix(got, "begin 1\n{") || content("stderr") != "oops\n" || content("plot.png") != "PNG\x00" {
		t.Errorf("%q %q %q", got, content("stderr"), content("plot.png"))
	}
	if got := content("environment"); strings.Contains(got, "hush") || !strings.Contains(got, `"OMP_NUM_THREADS": "3"`) {
		t.Errorf("%s", got)
	}
	list, err := files.Files(t.Context(), "kiln", 1)
	if err != nil || len(list) != 4 {
		t.Errorf("%+v, %v", list, err)
	}
}
