package local

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/space"
)

func TestEnviron(t *testing.T) {
	c := engine.Job{Trial: 7, Study: "airfoil", Setting: space.Setting{
		"lr": space.Float(0.5), "wide-net": space.Bool(true), "größe": space.Int(3),
		"a.b": space.Int(1), "a_b": space.Int(2), // the same variable: neither
	}}
	got := environ(&c, []string{"PATH=/bin", "EKE_TRIAL=1", "EKE_PARAM_OLD=1", "EKE_TRIALS=kept", "=C:=odd"}, files{"/d"})
	want := []string{"PATH=/bin", "EKE_TRIALS=kept", "=C:=odd",
		"EKE_TRIAL=7", "EKE_STUDY=airfoil", "EKE_DIR=/d",
		"EKE_PARAMS=" + filepath.Join("/d", "params.json"), "EKE_RESULT=" + filepath.Join("/d", "result.json"),
		"EKE_PARAM_GR__E=3", "EKE_PARAM_LR=0.5", "EKE_PARAM_WIDE_NET=true"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// What the command sees, end to end.
func TestCommandIsTold(t *testing.T) {
	c := sh(t, `env | grep ^EKE_ | sort; cat "$EKE_PARAMS"; pwd; read x; echo "stdin: $?"; echo objective=1; echo cost=1`)
	c.WorkDir = t.TempDir()
	if out := run(t, c); out.State != "done" {
		t.Fatalf("%+v", out)
	}
	stdout, err := os.ReadFile(filepath.Join(c.Dir, engine.StdoutFile))
	if err != nil {
		t.Fatal(err)
	}
	where, _ := filepath.EvalSymlinks(c.WorkDir)
	says(t, string(stdout), "EKE_TRIAL=7\n", "EKE_STUDY=airfoil\n", "EKE_DIR="+c.Dir+"\n",
		"EKE_PARAM_LR=0.001\n", "EKE_PARAM_N=3\n", "EKE_PARAM_OPT=adam\n", "EKE_PARAM_WIDE_NET=true\n",
		"{\n  \"lr\": 0.001,\n  \"n\": 3,\n  \"opt\": \"adam\",\n  \"wide-net\": true\n}\n",
		filepath.Base(where)+"\n", "stdin: 1\n")
	entries, _ := os.ReadDir(c.Dir)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if want := []string{engine.ParamsFile, startedFile, engine.StderrFile, engine.StdoutFile}; !slices.Equal(names, want) {
		t.Errorf("files %v, want %v", names, want)
	}
}
