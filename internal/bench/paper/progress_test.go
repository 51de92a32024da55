package paper

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"
)

func TestProgress(t *testing.T) {
	var out bytes.Buffer
	keys := []Key{{"dropwave", "ei", "paper", 40, 0}, {"dropwave", "ei", "paper", 40, 1}, {"dropwave", "ei", "paper", 40, 2}}
	known := someReplication(0) // two suggestions of 0.125 s
	p := NewProgress(&out, false, keys, []Replication{known}, 2)
	if s, ok := p.secondsLeft(); !ok || math.Abs(s-0.25) > 1e-9 {
		t.Errorf("%v s left, %v; want 0.25: two of 0.25 s by two workers", s, ok)
	}
	p.Started(keys[1])
	p.Ended(keys[1], Replication{}, nil)
	p.Started(keys[2])
	p.draw()
	p.Ended(keys[2], Replication{}, errors.New("broken"))
	p.Close()
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 || !strings.HasPrefix(lines[0], "2/3") || !strings.Contains(lines[0], "dropwave ei 2") ||
		!strings.Contains(lines[1], "1 went wrong") || !strings.Contains(lines[1], "about 0s left") {
		t.Errorf("%q", lines)
	}
}
