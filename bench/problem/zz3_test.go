//go:build zz

package problem

import (
	"fmt"
	"testing"
	"time"
)

func TestZZCC(t *testing.T) {
	s := time.Now()
	p := cnnForests().error.places(5)
	for _, v := range p {
		fmt.Println(len(v))
	}
	c, n := searchCNN()
	fmt.Printf("CNN %v %#v %d %v %+v\n", c.value, c.at, n, time.Since(s), trainingAt(c.at))
}
