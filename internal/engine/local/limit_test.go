package local

import (
	"testing"
	"time"

	"github.com/eke-bo/eke/internal/engine"
)

func TestGrace(t *testing.T) {
	for _, tc := range []struct{ grace, limit, want time.Duration }{
		{0, 0, 2 * time.Second},
		{0, time.Second, 100 * time.Millisecond},
		{0, time.Hour, 2 * time.Second},
		{time.Minute, time.Hour, time.Minute},
		{time.Minute, 10 * time.Second, 5 * time.Second},
		{time.Minute, 0, time.Minute},
	} {
		c := engine.Job{Grace: tc.grace}
		if got := graceFor(&c, tc.limit); got != tc.want {
			t.Errorf("grace %v at limit %v: %v, want %v", tc.grace, tc.limit, got, tc.want)
		}
	}
}
