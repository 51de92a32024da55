package eke_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

// The house, kept by this test:
//
//	 cmd/eke                                      cmd/eke-bench
//	   │                                               │
//	 server ─► api ◄─ source ─► runner ─► engine   bench/suite, bench/paper ─► bench/problem
//	   │  view, report  │                 ▲            │
//	   │                │               local          │
//	   │                │                              │
//	   │             broker ◄─── eke, the front door ◄─┘
//	   │                │         │
//	   │                │      insight
//	   │                ▼         │
//	   │             advisor ◄────┴──────────────► policy ─► treesearch
//	   │                │                             ├────► lookahead ─► acq, gp
//	 store ◄─ sqlite, postgres (wired by cmd)         ├────► acq ───────► normal
//	   │                                              └────► gp ────────► chol, lbfgsb
//	 study ─► space
//	 WORDS            HALL                            NUMBERS
//
// Arrows go down only, none between the wings, and the wings meet in the hall; the numbers touch no
// network, database, file or clock; adapters never meet; nothing but the bench imports the bench.

// room is a package: where it stands, and every package of the module it may import.
type room struct {
	name string // path below the module; "" is the hall, "examples/*" every example
	wing wing
	may  []string
}

type wing string

const (
	words   wing = "words"   // parameters, trials, money, files, SQL, HTTP
	numbers wing = "numbers" // float64 in the unit cube
	hall    wing = "hall"    // translates one to the other
	proof   wing = "proof"   // measures everything, so it sees both wings
)

// house lists the rooms from the roof down: a room may import only rooms listed below it, so there can be
// no cycle. It is the house as it stands: every room is there, and imports all that it may. Tests may import what they
// like.
var house = []room{
	{"cmd/eke", words, []string{"internal/server", "internal/server/dashboard", "internal/api", "internal/fault", "internal/view", "internal/report", "internal/source", "internal/runner", "internal/broker", "insight", "advisor", "store/sqlite", "store/postgres", "store",
		"internal/engine/local", "internal/say", "study", "space", "internal/spirals"}},
	{"cmd/eke-bench", proof, []string{"internal/bench/paper", "internal/bench/suite", "internal/bench/problem", "policy", "internal/treesearch", "internal/golden", "lookahead", "acq", "gp", "internal/sobol", "internal/simd"}},
	{"examples/*", words, []string{"", "space"}},

	{"internal/server", words, []string{"internal/api", "internal/fault", "internal/broker", "insight", "advisor", "store", "study", "space"}},
	{"internal/server/browser", words, nil}, // tests of the page
	{"internal/api/gen", words, nil},        // tests that what is generated from the server's OpenAPI document is up to date
	{"internal/server/dashboard", words, nil},
	{"internal/source", words, []string{"internal/runner", "internal/broker", "internal/api", "internal/fault", "study"}}, // where trials come from: a store, a server
	{"internal/api", words, []string{"study", "space", "internal/fault"}},                                                 // the wire, as server and clients see it
	{"internal/view", words, []string{"internal/runner", "advisor", "internal/say", "study", "space"}},
	{"internal/runner", words, []string{"internal/engine", "internal/fault", "internal/flock", "study"}}, // the trial loop
	{"internal/report", words, []string{"insight", "advisor", "internal/say", "study", "space"}},         // a study as a page and as pictures
	{"internal/bench/suite", proof, []string{"internal/bench/campaign", "internal/bench/problem", "internal/bench/show", "internal/bench/stats", "internal/bench/variant",
		"", "advisor", "study", "space", "internal/normal", "internal/sobol"}}, // policies on many problems
	{"internal/bench/paper", proof, []string{"internal/bench/campaign", "internal/bench/problem", "internal/bench/show", "internal/bench/stats", "internal/bench/variant",
		"", "advisor", "study", "policy", "lookahead", "acq", "gp"}}, // the paper's experiments
	{"internal/bench/campaign", proof, []string{"internal/flock"}},                                           // many runs, kept in a folder
	{"internal/bench/problem", proof, []string{"gp", "study", "space", "internal/lbfgsb", "internal/sobol"}}, // some of the paper's problems are surrogates fitted to data
	{"internal/bench/variant", proof, []string{"policy"}},                                                    // the names of policies and presets
	{"internal/bench/stats", proof, nil},
	{"internal/bench/show", proof, nil}, // tables and pictures

	{"", hall, []string{"internal/broker", "insight", "advisor", "store", "study", "space", "internal/fault"}},   // the front door
	{"internal/broker", words, []string{"advisor", "store", "internal/fault", "internal/say", "study", "space"}}, // asking and telling over a store, under the ledger's law
	{"insight", hall, []string{"advisor", "study", "space", "policy", "internal/fault"}},                         // what was learnt
	{"advisor", hall, []string{"internal/say", "study", "space", "policy", "internal/fault"}},                    // record in, next trial out

	{"store/sqlite", words, []string{"store", "study", "internal/fault"}},
	{"store/postgres", words, []string{"store", "study", "internal/fault"}},
	{"store/storetest", words, []string{"store", "study", "space"}},
	{"store", words, []string{"study", "internal/fault"}},
	{"internal/engine/local", words, []string{"internal/engine", "internal/fault", "internal/say", "study", "space"}},
	{"internal/engine/enginetest", words, []string{"internal/engine", "internal/fault", "study", "space"}},
	{"internal/engine", words, []string{"study", "space"}}, // where trials are evaluated
	{"internal/say", words, []string{"study", "space"}},    // numbers, money and times in words
	{"study", words, []string{"space", "internal/fault"}},
	{"space", words, []string{"internal/fault"}},
	{"internal/fault", words, nil},   // the one vocabulary of errors
	{"internal/flock", words, nil},   // who lives is seen by locks on files
	{"internal/spirals", words, nil}, // what the quickstart tunes: a training run

	{"policy", numbers, []string{"internal/treesearch", "lookahead", "acq", "gp", "internal/maximise", "internal/parallel", "internal/sobol", "internal/normal"}},
	{"internal/treesearch", numbers, []string{"lookahead", "acq", "internal/maximise", "internal/parallel"}}, // maximising a tree
	{"internal/golden", numbers, []string{"lookahead", "acq", "gp"}},
	{"lookahead", numbers, []string{"acq", "gp", "internal/chol", "internal/sobol", "internal/normal"}},
	{"acq", numbers, []string{"gp", "internal/normal"}},
	{"gp", numbers, []string{"internal/chol", "internal/lbfgsb", "internal/simd"}},
	{"internal/maximise", numbers, []string{"internal/lbfgsb", "internal/sobol", "internal/parallel"}}, // local searches from many starts
	{"internal/lbfgsb", numbers, nil},
	{"internal/parallel", numbers, nil},
	{"internal/chol", numbers, nil},
	{"internal/sobol", numbers, nil},
	{"internal/normal", numbers, nil},
	{"internal/simd", numbers, nil},
	{"internal/gradcheck", numbers, nil},
}

// onlyFor names the rooms that few may enter, with all who may; tests may. Whatever stands under one of these
// paths is meant too.
var onlyFor = map[string][]string{
	"internal/bench":             {"cmd/eke-bench", "internal/bench/paper", "internal/bench/suite"},
	"internal/golden":            {"cmd/eke-bench"},
	"internal/gradcheck":         {},
	"store/storetest":            {},
	"internal/engine/enginetest": {},
	"store/sqlite":               {"cmd/eke", "examples/*"},
	"store/postgres":             {"cmd/eke"},
	"cmd":                        {},
	"examples":                   {},
}

// drivers names the libraries that speak to a database, and the one room that each is for.
var drivers = map[string]string{
	"github.com/jackc/pgx":     "store/postgres",
	"github.com/pressly/goose": "store/postgres",
	"modernc.org/sqlite":       "store/sqlite",
}

// theWorld is what the numbers know nothing of: a suggestion is a function of the state alone. The
// folders under these packages are meant too.
var theWorld = []string{"net", "database/sql", "os", "time"}

// exempt lists the imports from the world that a room of numbers may have all the same.
var exempt = map[string][]string{
	"internal/golden": {"os"}, // reads the reference's figures; no suggestion depends on it
	"internal/simd":   {"os"}, // reads EKE_NOSIMD, which says to do without assembly
}

const modulePath = "github.com/eke-bo/eke"

// TestHouse walks the module and compares every import of every package with the house.
func TestHouse(t *testing.T) {
	found, err := importsOf(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	for from, imports := range found {
		for _, o := range offences(from, imports) {
			t.Error(o)
		}
	}
	// A walk that finds nothing finds no offence either.
	for from, imported := range map[string]string{"policy": "lookahead", "lookahead": "acq", "acq": "gp"} {
		if !slices.Contains(found[from], path.Join(modulePath, imported)) {
			t.Errorf("the walk did not see %s import %s", from, imported)
		}
	}
}

// TestHouseIsAsDrawn finds rooms and arrows that are listed but not there: a drawing that promises more than there is
// misleads, and permits what nobody decided.
func TestHouseIsAsDrawn(t *testing.T) {
	found, err := importsOf(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range overdrawn(house, found) {
		t.Error(o)
	}
}

// overdrawn lists the rooms and arrows of a house that are not found.
func overdrawn(house []room, found map[string][]string) (list []string) {
	for _, r := range house {
		there, imported := false, map[string]bool{}
		for name, imports := range found {
			if match, _ := path.Match(r.name, name); !match && r.name != name {
				continue
			}
			there = true
			for _, p := range imports {
				if to, ours := inModule(p); ours {
					imported[to] = true
				}
			}
		}
		if !there {
			list = append(list, roomName(r.name)+" is drawn, but not there")
			continue
		}
		for _, name := range r.may {
			if !imported[name] {
				list = append(list, fmt.Sprintf("%s may import %s, but does not", roomName(r.name), roomName(name)))
			}
		}
	}
	return list
}

// TestHouseKeepsItsLaw holds the list itself to the law, so that an arrow in the wrong direction cannot be
// had by listing it.
func TestHouseKeepsItsLaw(t *testing.T) {
	for _, o := range unlawful(house) {
		t.Error(o)
	}
}

// importsOf returns the imports of every package of a module, its tests left out.
func importsOf(tree fs.FS) (map[string][]string, error) {
	found := map[string][]string{}
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name != "." && skipped(tree, name) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		source, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		// Parsed rather than built: files for other systems obey the law as well.
		file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.ImportsOnly)
		if err != nil {
			return err
		}
		from := strings.TrimPrefix(path.Dir(name), ".")
		list := found[from]
		for _, spec := range file.Imports {
			p, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			if !slices.Contains(list, p) {
				list = append(list, p)
			}
		}
		found[from] = list
		return nil
	})
	return found, err
}

// skipped says which folders hold no package of the module: those the go command passes over, and modules
// of their own.
func skipped(tree fs.FS, dir string) bool {
	base := path.Base(dir)
	if slices.Contains([]string{"testdata", "vendor", "node_modules"}, base) || base[0] == '.' || base[0] == '_' {
		return true
	}
	_, err := fs.Stat(tree, path.Join(dir, "go.mod"))
	return err == nil
}

// offences lists what is wrong with a package's imports.
func offences(from string, imports []string) []string {
	at := roomAt(house, from)
	if at < 0 {
		return []string{roomName(from) + " is not in the house: add it to the list in deps_test.go, in its wing and at its height"}
	}
	r := house[at]
	var list []string
	for _, p := range imports {
		if to, ours := inModule(p); ours {
			if !slices.Contains(r.may, to) {
				list = append(list, fmt.Sprintf("%s imports %s, which deps_test.go does not list for it", roomName(from), roomName(to)))
			}
			continue
		}
		for driver, owner := range drivers {
			if isUnder(p, driver) && r.name != owner {
				list = append(list, fmt.Sprintf("%s imports %s, which is only for %s", roomName(from), p, owner))
			}
		}
		if r.wing == numbers && worldly(p) && !slices.Contains(exempt[r.name], p) {
			list = append(list, fmt.Sprintf("%s imports %s: numbers touch no network, database, file or clock", roomName(from), p))
		}
	}
	return list
}

// unlawful lists what is wrong with a house.
func unlawful(house []room) []string {
	var list []string
	say := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	for height, r := range house {
		if roomAt(house, r.name) != height {
			say("%s is listed twice", roomName(r.name))
		}
		for _, name := range r.may {
			at := roomAt(house, name)
			if at < 0 {
				say("%s may import %s, which is not in the house", roomName(r.name), roomName(name))
				continue
			}
			to := house[at]
			if at <= height {
				say("%s may import %s: arrows go down only", roomName(r.name), roomName(name))
			}
			if (r.wing == words && to.wing == numbers) || (r.wing == numbers && to.wing != numbers) {
				say("%s (%s) may import %s (%s): the wings meet in the hall alone", roomName(r.name), r.wing, roomName(name), to.wing)
			}
			for guarded, guests := range onlyFor {
				if isUnder(name, guarded) && !slices.Contains(guests, r.name) {
					say("%s may import %s, which is only for %q", roomName(r.name), roomName(name), guests)
				}
			}
		}
	}
	return list
}

// roomAt returns the place of a package in a house, or −1.
func roomAt(house []room, name string) int {
	return slices.IndexFunc(house, func(r room) bool {
		match, _ := path.Match(r.name, name) // the list has no malformed pattern
		return match || r.name == name
	})
}

// inModule returns the path of an import below the module, and whether it is there at all.
func inModule(imported string) (below string, ours bool) {
	if imported == modulePath {
		return "", true
	}
	return strings.CutPrefix(imported, modulePath+"/")
}

// worldly says whether an import belongs to the world.
func worldly(imported string) bool {
	return slices.ContainsFunc(theWorld, func(w string) bool { return isUnder(imported, w) })
}

func isUnder(name, folder string) bool { return name == folder || strings.HasPrefix(name, folder+"/") }

func roomName(name string) string {
	if name == "" {
		return "the hall"
	}
	return name
}

// A checker that cannot fail proves nothing: made-up imports it must pass, and must not.
func TestHouseCheckerCanFail(t *testing.T) {
	for _, c := range []struct{ from, imports, want string }{
		{"gp", "math", ""},
		{"gp", modulePath + "/internal/chol", ""},
		{"advisor", modulePath + "/policy", ""},
		{"cmd/eke", "os", ""},
		{"cmd/eke", "time", ""},
		{"space", "os", ""},
		{"examples/quickstart", modulePath, ""},
		{"internal/simd", "os", ""},
		{"internal/golden", "os", ""},
		{"policy", "network.example/timer", ""},
		{"internal/bench/paper", modulePath + "/internal/bench/problem", ""},

		{"store/postgres", "github.com/jackc/pgx/v5/pgxpool", ""},
		{"store/postgres", "github.com/pressly/goose/v3", ""},
		{"store/sqlite", "modernc.org/sqlite", ""},

		{"store/sqlite", "github.com/pressly/goose/v3", "only for store/postgres"},
		{"store", "github.com/jackc/pgx/v5", "only for store/postgres"},
		{"cmd/eke", "github.com/jackc/pgx/v5/pgconn", "only for store/postgres"},
		{"store/postgres", "modernc.org/sqlite/lib", "only for store/sqlite"},
		{"gp", modulePath + "/policy", "does not list"},             // up
		{"policy", modulePath + "/study", "does not list"},          // across
		{"space", modulePath + "/internal/normal", "does not list"}, // across
		{"study", modulePath + "/policy", "does not list"},
		{"lookahead", modulePath, "imports the hall"}, // up into the hall
		{"store/sqlite", modulePath + "/store/postgres", "does not list"},
		{"cmd/eke", modulePath + "/internal/bench/problem", "does not list"},
		{"cmd/eke", modulePath + "/policy", "does not list"},
		{"", modulePath + "/internal/bench/paper", "does not list"},
		{"acq", modulePath + "/internal/gradcheck", "does not list"},
		{"policy", modulePath + "/internal/golden", "does not list"},
		{"", modulePath + "/gp/kernels", "does not list"}, // lists are of packages, not of prefixes
		{"policy", "time", "no network"},
		{"policy", "os", "no network"},
		{"gp", "os/exec", "no network"},
		{"acq", "net/http", "no network"},
		{"lookahead", "database/sql/driver", "no network"},
		{"internal/simd", "os/exec", "no network"}, // exempt is os, not what stands under it
		{"internal/simd", "time", "no network"},
		{"internal/golden", "net", "no network"},
		{"util", "math", "add it to the list"},
		{"gp/kernels", "math", "add it to the list"},
		{"examples", "math", "add it to the list"},
	} {
		list := offences(c.from, []string{c.imports})
		switch {
		case c.want == "" && len(list) > 0:
			t.Errorf("%s imports %s: %q, want no offence", c.from, c.imports, list)
		case c.want != "" && (len(list) != 1 || !strings.Contains(list[0], c.want)):
			t.Errorf("%s imports %s: %q, want one with %q", c.from, c.imports, list, c.want)
		}
	}
}

// The walk sees every file that can become part of a build, whatever system it is for, and nothing else.
func TestHouseWalk(t *testing.T) {
	file := func(imported string) *fstest.MapFile {
		return &fstest.MapFile{Data: fmt.Appendf(nil, "package p\nimport %q", imported)}
	}
	found, err := importsOf(fstest.MapFS{
		"a.go":                   file("hall"),
		"a_test.go":              file("test"),
		"gp/b.go":                file("one"),
		"gp/b_plan9.go":          file("two"),
		"gp/c.go":                file("two"),
		"gp/d.go":                {Data: []byte("//go:build never\n\npackage p\nimport x `three`")},
		"gp/testdata/e.go":       file("data"),
		".git/f.go":              file("hidden"),
		"_old/f.go":              file("hidden"),
		"clients/go/go.mod":      {},
		"clients/go/g.go":        file("another module"),
		"docs/node_modules/h.go": file("not ours"),
		"README.md":              {},
	})
	want := map[string][]string{"": {"hall"}, "gp": {"one", "two", "three"}}
	if err != nil || !maps.EqualFunc(found, want, slices.Equal) {
		t.Errorf("%v, %v, want %v", found, err, want)
	}
}

// The same for the law: each of these arrows, added to the house, must be noticed.
func TestHouseLawCanFail(t *testing.T) {
	for _, c := range []struct{ from, may, want string }{
		{"space", "study", "down only"},
		{"gp", "policy", "down only"},
		{"gp", "gp", "down only"},
		{"study", "policy", "wings"},
		{"cmd/eke", "policy", "wings"},
		{"policy", "space", "wings"},
		{"lookahead", "", "wings"},
		{"store/sqlite", "store/postgres", "only for"},
		{"store/postgres", "store/sqlite", "only for"},
		{"internal/server", "store/sqlite", "only for"},
		{"cmd/eke", "internal/bench/problem", "only for"},
		{"", "internal/golden", "only for"},
		{"cmd/eke-bench", "internal/gradcheck", "only for"},
		{"study", "util", "not in the house"},
	} {
		changed := slices.Clone(house)
		r := &changed[roomAt(changed, c.from)]
		r.may = append(slices.Clone(r.may), c.may)
		if list := strings.Join(unlawful(changed), "\n"); !strings.Contains(list, c.want) {
			t.Errorf("%s → %s passed, want %q: %s", roomName(c.from), roomName(c.may), c.want, list)
		}
	}
	if twice := append(slices.Clone(house), room{name: "gp"}); len(unlawful(twice)) == 0 {
		t.Error("a room listed twice passed")
	}
	drawn := []room{{"gp", numbers, []string{"acq"}}, {"attic", words, nil}}
	want := []string{"gp may import acq, but does not", "attic is drawn, but not there"}
	if list := overdrawn(drawn, map[string][]string{"gp": {"math", modulePath + "/space"}}); !slices.Equal(list, want) {
		t.Errorf("%q, want %q", list, want)
	}
}
