package server_test

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
)

// A token of a group learns nothing of the studies of another one, but that a name is taken. There are two servers: on one the others have
// studies, on its twin they have none. Whatever the token sends, both must answer the same. So nobody has to list what is secret, and
// an operation that is new is walked over as soon as carriedOut has it. The clock is that of a bubble, so that both have the same.

// A token of a group walks over every operation.
func TestWalkAsAnotherGroup(t *testing.T) { synctest.Test(t, walkAsAnotherGroup) }

func walkAsAnotherGroup(t *testing.T) {
	doc := describedBodies(t)
	requests, names := 0, 0
	w := newTwins(t)
	defer w.close()
	for _, id := range slices.Sorted(maps.Keys(described(t))) {
		if carriedOut[id] == "" {
			t.Fatalf("the walk does not know how to carry out %s: add a request to carriedOut", id)
		}
		for _, by := range ours {
			for _, request := range doc.ways(id) {
				requests++
				leak, taken := w.compare(by, request)
				if leak != "" {
					t.Errorf("%s, as %s: %s: %s", id, by.token.Name, request, leak)
				}
				if taken {
					names++
				}
				if taken || leak != "" {
					w.renew()
				}
			}
		}
		if changes(carriedOut[id]) {
			w.renew()
		}
	}
	t.Logf("%d requests, %d of them with names that are taken", requests, names)
	if names == 0 {
		t.Error("no name was taken")
	}
}

// What is not in the description is walked over, too.
func TestWalkOutsideTheDescription(t *testing.T) { synctest.Test(t, walkOutsideTheDescription) }

func walkOutsideTheDescription(t *testing.T) {
	w := newTwins(t)
	defer w.close()
	requests := []string{"PUT /studies/kiln", "DELETE /studies/kiln", "GET /studies/kiln/nothing", "GET /studies/broken"}
	for _, path := range outside {
		requests = append(requests, "GET "+path)
	}
	for _, by := range ours {
		for _, request := range requests {
			if leak, _ := w.compare(by, request); leak != "" {
				t.Errorf("%s, as %s: %s", request, by.token.Name, leak)
			}
		}
	}
}

// The walk finds what is to be found: to whom the studies of the others are there, every operation on them gives them away. So do the ways
// from one study to another.
func TestWalkCanFail(t *testing.T) { synctest.Test(t, walkCanFail) }

func walkCanFail(t *testing.T) {
	requests := []string{carriedOut["list-studies"], "GET /metrics", "GET /studies?search=hot",
		startingFrom, `POST /studies/ourkiln/copy {"name":"fresh","changes":{"start_from":"kiln"}}`}
	for id, where := range described(t) {
		if strings.Contains(where, "{study}") {
			requests = append(requests, carriedOut[id])
		}
	}
	w := newTwins(t)
	defer w.close()
	for _, request := range requests {
		if leak, _ := w.compare(root, request); !strings.Contains(leak, "beside the others:\n20") && !strings.Contains(leak, "is in 20") {
			t.Errorf("the walk would not notice what %s says: %s", request, leak)
		}
		if changes(request) { // alone, nothing was there to be changed
			w.crowded.close()
			w.crowded = newWorld(t, true)
		}
	}
}

var startingFrom = `POST /studies {"yaml":` + strconv.Quote(strings.Replace(kiln, "name: kiln", "name: fresh\nstart_from: kiln", 1)) + `}`
