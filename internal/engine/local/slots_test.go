//go:build unix

package local

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/study"
)

// smi puts a program nvidia-smi on PATH that runs a shell script.
func smi(t *testing.T, script string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "nvidia-smi"), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	t.Setenv(visible, "")
}

const four = `test "$1" = -L || exit 9
echo 'GPU 0: NVIDIA A100-SXM4-40GB (UUID: GPU-aa)'
echo '  MIG 3g.20gb Device 0: (UUID: MIG-x)'
echo 'GPU 1: NVIDIA A100-SXM4-40GB (UUID: GPU-bb)'
echo 'GPU 2: Quadro (UUID: GPU-cc)'
echo 'GPU 10: Quadro'
`

func TestGPUs(t *testing.T) {
	for of, want := range map[string][]string{"": {"0", "1", "2", "10"}, "1,2": {"1", "2"}, "GPU-cc": {"2"}} {
		smi(t, four)
		t.Setenv(visible, of)
		list, err := (&Engine{}).Slots(t.Context(), &study.Study{GPUs: study.GPUsAuto})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range list {
			got = append(got, s.Env[visible])
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%q: %s", of, d)
		}
	}
}

func TestNoGPUs(t *testing.T) {
	for script, want := range map[string]string{
		"":                           "lists no GPU",
		"echo no driver >&2; exit 9": "no driver",
		four + "# of others":         `"7", and nvidia-smi lists no such GPU`,
	} {
		smi(t, script)
		if strings.HasPrefix(want, `"7"`) {
			t.Setenv(visible, "7")
		}
		if _, err := GPUs(t.Context()); err == nil || !strings.Contains(err.Error(), want) || fault.HintOf(err) == "" {
			t.Errorf("%v, want %q and a hint", err, want)
		}
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := GPUs(t.Context()); err == nil || !strings.Contains(err.Error(), "there is no nvidia-smi") {
		t.Error(err)
	}
}
