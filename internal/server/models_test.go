package server_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
)

// While the models of one study are fitted, those of another can be looked at.
func TestModelsDoNotWaitForOthers(t *testing.T) {
	g := serve(t)
	g.create(planned)
	for n := 1; n <= 4; n++ {
		g.post("/studies/planned/ask", `{"worker":"w"}`).fine(200, nil)
		g.post(fmt.Sprintf("/studies/planned/trials/%d/tell", n), map[string]any{"value": n, "cost": 1}).fine(200, nil)
	}
	g.get("/studies/planned/insight").fine(200, nil)
	g.create(strings.NewReplacer("name: planned", "name: large", "total: 1000", "total: 10000").Replace(planned))
	observe(t, g.store, "large", 600)
	var fitted atomic.Bool
	done := make(chan struct{})
	go func() {
		defer close(done)
		g.get("/studies/large/insight").fine(200, nil)
		fitted.Store(true)
	}()
	seen := 0
	for ; !fitted.Load() && seen < 8; seen++ {
		g.get("/studies/planned/slice?parameter=x").fine(200, nil)
		g.get("/studies/planned/heat?a=x&b=y&n=4").fine(200, nil)
	}
	if seen < 8 {
		t.Errorf("of another study %d slices and heat maps were seen before the models were fitted", seen)
	}
	<-done
}
