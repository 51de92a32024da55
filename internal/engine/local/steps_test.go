package local

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/study"
)

// The values that a command had on its way are not its result, whoever dies. What it had spent until then counts.
func TestRecoveredOnItsWay(t *testing.T) {
	for _, tc := range []struct {
		printed string
		state   study.State
		cost    float64
	}{
		{"{\"step\": 1, \"objective\": 5, \"cost\": 1}\n{\"step\": 3, \"objective\": 4, \"cost\": 3}\n", study.Abandoned, 3},
		{"{\"step\": 3, \"objective\": 4, \"cost\": 3}\n{\"step\": 9, \"objective\": 2, \"cost\": 9}\n", study.Done, 9},
		{"{\"step\": 3, \"objective\": 4, \"cost\": 3}\n{\"objective\": 2, \"cost\": 8}\n", study.Done, 8},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, engine.StdoutFile), []byte(tc.printed), 0o600); err != nil {
			t.Fatal(err)
		}
		out := found(engine.Job{Dir: dir, Fidelity: 9})
		if out.State != tc.state || out.Cost != tc.cost || out.State == study.Done && out.Value != 2 {
			t.Errorf("%s: %+v", tc.printed, out)
		}
	}
}
