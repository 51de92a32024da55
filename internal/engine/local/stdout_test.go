package local

import (
	"strings"
	"testing"

	"github.com/eke-bo/eke/internal/engine"
)

func printed(text string) tail { return tail{[]byte(text), int64(len(text)), true} }

func TestReadLines(t *testing.T) {
	w := wanted{objective: "loss", cost: true}
	for _, tc := range []struct {
		text        string
		value, cost float64
	}{
		{"{\"objective\": 1, \"cost\": 2}\n", 1, 2},
		{"log\n{\"loss\": 1, \"cost\": 2}\n{\"loss\": 3, \"cost\": 4}\nbye\n", 3, 4},
		{"{\"loss\": 1, \"cost\": 2}\n{\"epoch\": 3}\n{not json}\n", 1, 2},
		{"  {\"value\": 1, \"cost\": 2}  \r\n", 1, 2},
		{" 10%\r 99%\r{\"objective\": 1, \"cost\": 2}", 1, 2},
		{"objective=1\ncost=2", 1, 2},
		{"loss = 1\nepoch = 4\nloss = 0.5\r\ncost = 2\n", 0.5, 2},
		{"value=3\ncost=1\nloss=2\n", 2, 1},
		{"objective=1\ncost=2\n{\"epoch\": 3}\n", 1, 2},
		{"objective=9\ncost=9\n{\"objective\": 1, \"cost\": 2}\nobjective=8\n", 1, 2},
	} {
		if r, want := w.readLines(printed(tc.text)), (report{value: tc.value, cost: tc.cost, hasValue: true, hasCost: true}); r.value != want.value || r.cost != want.cost || !r.hasValue || !r.hasCost || r.problem != "" || r.lost {
			t.Errorf("%q: %+v, want %+v", tc.text, r, want)
		}
	}
}

func TestReadLinesTrouble(t *testing.T) {
	for _, tc := range []struct{ text, says string }{
		{"", "stdout is empty"},
		{"hello\nworld\n", "stdout has no such line"},
		{"{\"objective\": 1, \"cost\": 2}\n{\"objective\": NaN, \"cost\": 2}\n", "objective NaN"},
		{"objective=1\nobjective=nan\ncost=1\n", "not a number (NaN)"},
		{"objective=1\n", "stdout has no cost"},
		{"{\"time\": 1, \"acc\": 0.5}\n", "the last JSON line of stdout has keys acc, time"},
		{"cost=1\n", "stdout has key cost;"},
	} {
		r := wanted{cost: true}.readLines(printed(tc.text))
		if r.problem == "" {
			t.Errorf("%q: %+v", tc.text, r)
		}
		says(t, r.problem, tc.says)
	}
}

// A line whose beginning was not read is none: its end may look like a result.
func TestReadLinesCutInFront(t *testing.T) {
	for text, want := range map[string]bool{
		`{"objective": 1, "cost": 2}`:      false,
		"=1\n{\"objective\":1,\"cost\":2}": true,
	} {
		r := wanted{cost: true}.readLines(tail{[]byte(text), 100 << 20, false})
		if (r.problem == "") != want {
			t.Errorf("%q: %+v", text, r)
		}
	}
}

func TestLastWords(t *testing.T) {
	got := lastWords(engine.StderrFile, printed(strings.Repeat("line\n", 20)+"\x1b[31mError:\x1b[0m \x00no\x07 memory\xff\n\n"))
	if strings.Count(got, "\n") != 1+shownLines || strings.ContainsAny(got, "\x1b\x00\x07") {
		t.Errorf("%q", got)
	}
	says(t, got, "\nstderr ends:\n    line\n", "\n    Error: no memory\ufffd")
	if got := lastWords(engine.StderrFile, printed(" \n\n")); got != "" {
		t.Errorf("%q", got)
	}
}

func FuzzResultLines(f *testing.F) {
	f.Add([]byte("{\"objective\": 0.12, \"cost\": 3.4}\n"), "loss", true, true)
	f.Add([]byte("loss=0.1\rcost = 1e999\n{\"loss\": NaN}"), "loss", true, false)
	f.Add([]byte("objective=\xff\n\x1b[31m{\"\\u001b\": 1}"), "", false, true)
	f.Fuzz(func(t *testing.T, data []byte, objective string, cost, whole bool) {
		w := wanted{objective: objective, cost: cost}
		r := w.readLines(tail{data, int64(len(data)), whole})
		checkReport(t, r)
		if cost && r.problem == "" && !r.hasCost {
			t.Errorf("%+v", r)
		}
		lastWords(engine.StderrFile, tail{data: data})
	})
}
