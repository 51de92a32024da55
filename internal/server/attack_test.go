//go:build linux

package server_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// mostMemory is what a server may use under attack, in MiB.
const mostMemory = 512

// Many requests at once, each as large as may be and of the kind that costs the most to read, do not make a server large. A study
// that is there goes on meanwhile.
func TestMemoryUnderAttack(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures memory, of which the race detector takes several times as much")
	}
	k := newKilled(t, "sqlite")
	server := k.start()
	defer func() { _ = server.Process.Kill(); _ = server.Wait() }()
	if status, raw := k.send("/studies", asJSON(kiln), "create"); status != http.StatusCreated {
		t.Fatalf("%d %s", status, raw)
	}
	const size = 1<<20 - 200
	fill := func(piece string) string { return strings.Repeat(piece, size/len(piece)) }
	var keys strings.Builder
	for i := range 9000 {
		fmt.Fprintf(&keys, "k%d: 1\n", i)
	}
	results := `{"results":[` + strings.TrimSuffix(strings.Repeat(`{"setting":{"":0},"value":1},`, 10000), ",") + `]}`
	for _, a := range []struct{ name, path, kind, body string }{
		{"brackets as YAML", "/studies", "application/yaml", fill("[")},
		{"braces as YAML", "/studies", "application/yaml", fill("{")},
		{"pairs as YAML", "/studies", "application/yaml", fill("[],")},
		{"lines as YAML", "/studies", "application/yaml", fill("- a\n")},
		{"words as YAML", "/studies", "application/yaml", fill("a ")},
		{"escapes as YAML", "/studies", "application/yaml", `"` + fill(`\n`) + `"`},
		{"keys as YAML", "/studies", "application/yaml", keys.String()},
		{"anchors as YAML", "/studies", "application/yaml", "a: &a [x]\n" + fill("b: &b [*a,*a]\n")},
		{"brackets within YAML within JSON", "/studies", "application/json", `{"yaml":"` + fill("[") + `"}`},
		{"brackets", "/studies", "application/json", fill("[")},
		{"a definition of brackets", "/studies", "application/json", `{"definition":` + fill("[") + `}`},
		{"objects", "/studies/kiln/results", "application/json", `{"results":[` + fill(`{"":0},`) + `{}]}`},
		{"lists", "/studies/kiln/results", "application/json", `{"results":[` + fill(`[],`) + `[]]}`},
		{"numbers", "/studies/kiln/forget", "application/json", `{"trials":[` + fill(`1,`) + `1]}`},
		{"unknown fields", "/studies/kiln/budget", "application/json", `{` + fill(`"a":0,`) + `"b":1}`},
		{"the most results", "/studies/kiln/results", "application/json", results},
		{"rows of a file", "/studies/kiln/import", "application/json", `{"file":"x,n\\n` + strings.Repeat(`1,2,3,4\n`, 24000) + `","dry_run":true}`},
		{"a note", "/studies/kiln/ask", "application/json", `{"worker":"` + fill("a") + `"}`},
	} {
		var all sync.WaitGroup
		begin := time.Now()
		senders := 24
		if a.name == "keys as YAML" { // definitions are read one after the other, and it takes most of a second to read this one
			senders = 6
		}
		for range senders {
			all.Go(func() {
				r, err := http.Post("http://"+k.address+"/api/v1"+a.path, a.kind, strings.NewReader(a.body))
				if err != nil {
					return // the server may close the connection of one who sends too much
				}
				defer r.Body.Close()
				raw, _ := io.ReadAll(io.LimitReader(r.Body, 500))
				if r.StatusCode >= 500 {
					t.Errorf("%s: %d %s", a.name, r.StatusCode, raw)
				}
			})
		}
		all.Wait()
		peak := memoryOf(t, server.Process.Pid)
		t.Logf("%s: %d MiB at most, %v", a.name, peak, time.Since(begin).Round(time.Millisecond))
		if peak > mostMemory {
			t.Fatalf("%s: the server used %d MiB", a.name, peak)
		}
	}
	if status, raw := k.send("/studies/kiln/ask", `{"worker":"w"}`, "after"); status != http.StatusOK {
		t.Errorf("%d %s", status, raw)
	}
}

// memoryOf is the most memory that a process had so far, in MiB.
func memoryOf(t *testing.T, pid int) int {
	t.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(raw), "VmHWM:")
	fields := strings.Fields(rest)
	kib, err := strconv.Atoi(fields[0])
	if err != nil {
		t.Fatal(err)
	}
	return kib >> 10
}
