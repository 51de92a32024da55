//go:build zz

package problem

import (
	"fmt"
	"testing"
	"time"
)

func TestZZRR(t *testing.T) {
	for i := range 20 {
		s := time.Now()
		c, n := searchRobot(i)
		fmt.Printf("ROBOT %d %v %#v %d %v\n", i, c.value, c.at, n, time.Since(s))
	}
}
