package server_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
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
	observe(t, g.store, "large", 100)
	fitted, err := g.server.Fit(t.Context()) // somebody fits models for as long as this test wants
	if err != nil {
		t.Fatal(err)
	}
	defer fitted()
	done := make(chan answered, 1)
	go func() {
		defer close(done)
		done <- g.get("/studies/large/insight")
	}()
	late := time.AfterFunc(5*time.Minute, func() {
		t.Error("of another study slices and heat maps are not seen until models are fitted")
		fitted()
	})
	defer late.Stop()
	for range 8 {
		g.get("/studies/planned/slice?parameter=x").fine(200, nil)
		g.get("/studies/planned/heat?a=x&b=y&n=4").fine(200, nil)
	}
	if len(done) > 0 {
		t.Error("two were fitted at once")
	}
	fitted()
	(<-done).fine(200, nil)
}
