package slurm

import (
	"os"
	"regexp"
	"testing"

	"github.com/eke-bo/eke/study"
)

// The study files of docs/CLUSTER.md are fine, and can be copied.
func TestDocumentedStudies(t *testing.T) {
	raw, err := os.ReadFile("../../../docs/CLUSTER.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(raw, -1)
	if len(blocks) < 3 {
		t.Fatalf("there are %d", len(blocks))
	}
	for _, b := range blocks {
		if s, err := study.Parse(b[1], "study.yaml"); err != nil || !s.OnCluster() {
			t.Errorf("%v\n%s", err, b[1])
		}
	}
}
