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

// The layers of the code, which this test keeps apart:
//
//	 cmd/eke
//	   │
//	 server ─► api ◄─ source ─► runner ─► engine
//	   │  view, report  │   ▲             ▲
//	   │                │   │ slurm, kubernetes ─► local
//	   │                │   └──────┐
//	   │             broker ◄─── eke, the library ◄─── bench, a module of its own
//	   │                │         │
//	   │                │      insight
//	   │                ▼         │
//	   │             advisor ◄────┴───────► policy ─► compare
//	   │                │                      │         │
//	 store ◄─ sqlite, postgres (wired by cmd)  └─────► choose ─────────────► lookahead
//	   │                                                 │                        │
//	   │                                            looks, rest ─► model ──────► acq ─► gp
//	 study ─► space
//	 STUDIES          BRIDGE                          MATHEMATICS
//
// Imports go down only. Studies and mathematics do not import each other; the bridge imports both. The mathematics uses no
// network, database, file or clock. Stores do not import each other. Nothing imports the benchmarks, tests included.

// entry is a package: its part of the code, and every package of the module that it may import.
type entry struct {
	name string // path below the module; "" is the root, "examples/*" every example
	part part
	may  []string
}

type part string

const (
	studies     part = "studies"     // parameters, trials, money, files, SQL, HTTP
	mathematics part = "mathematics" // points of the unit cube
	bridge      part = "bridge"      // translates one to the other
)

// layers lists the packages from the top down. A package may import only packages below it, so there can be no cycle. The
// list is exact: every package exists, and imports all that it may. Tests may import anything.
var layers = []entry{
	{"cmd/eke", studies, []string{"internal/server", "internal/server/dashboard", "internal/api", "internal/fault", "internal/view", "internal/report", "internal/source", "internal/runner", "internal/broker", "insight", "advisor", "store/sqlite", "store/postgres", "store",
		"internal/engine/slurm", "internal/engine/kubernetes", "internal/engine/local", "internal/engine", "internal/results", "internal/say", "internal/webhook", "study", "space", "internal/spirals"}},
	{"cmd/eke-docs", studies, []string{"internal/site"}},
	{"cmd/eke-roots", studies, nil},
	{"internal/site", studies, nil},
	{"examples/*", studies, []string{"", "space"}},

	{"internal/server", studies, []string{"internal/api", "internal/fault", "internal/report", "internal/results", "internal/say", "internal/webhook", "internal/broker", "insight", "advisor", "store", "study", "space"}},
	{"internal/api/gen", studies, nil}, // tests that what is generated from the server's OpenAPI document is up to date
	{"internal/server/dashboard", studies, nil},
	{"internal/results", studies, []string{"study", "space", "internal/fault"}}, // results from elsewhere
	{"", bridge, []string{"internal/source", "internal/runner", "internal/broker", "insight", "advisor", "store", "internal/engine", "study", "space", "internal/fault"}}, // the library
	{"internal/runner/runnertest", studies, []string{"internal/source", "internal/runner", "internal/broker", "store/sqlite", "internal/engine", "study"}},                // studies that tests of engines kill
	{"internal/source", studies, []string{"internal/runner", "internal/broker", "internal/api", "internal/fault", "study"}},                                               // where trials come from: a store, a server
	{"internal/api", studies, []string{"study", "space", "internal/fault"}},                                                                                               // the wire, as server and clients see it
	{"internal/view", studies, []string{"internal/runner", "advisor", "internal/say", "study", "space"}},
	{"internal/runner", studies, []string{"internal/engine", "internal/fault", "internal/flock", "internal/say", "study"}}, // the trial loop
	{"internal/report", studies, []string{"insight", "advisor", "internal/say", "study", "space"}},                         // a study as a page and as pictures

	{"internal/broker", studies, []string{"advisor", "store", "internal/fault", "internal/say", "study", "space"}},     // asking and telling over a store
	{"insight", bridge, []string{"advisor", "internal/say", "study", "space", "policy", "internal/fault"}},             // what was learnt
	{"advisor", bridge, []string{"internal/say", "study", "space", "policy", "internal/changeover", "internal/fault"}}, // record in, next trial out

	{"store/sqlite", studies, []string{"store", "study", "internal/fault"}},
	{"store/postgres", studies, []string{"store", "study", "internal/fault"}},
	{"store/storetest", studies, []string{"store", "study", "space"}},
	{"store", studies, []string{"study", "internal/fault"}},
	{"internal/engine/slurm", studies, []string{"internal/engine/local", "internal/engine", "internal/cluster", "internal/fault", "study", "space"}}, // trials as jobs of a cluster
	{"internal/engine/kubernetes", studies, []string{"internal/engine/local", "internal/engine", "internal/cluster", "internal/fault", "study"}},     // trials as Jobs of Kubernetes
	{"internal/engine/local", studies, []string{"internal/engine", "internal/fault", "internal/say", "study", "space"}},
	{"internal/engine/enginetest", studies, []string{"internal/engine", "internal/fault", "study", "space"}},
	{"internal/recorded", studies, nil},
	{"internal/engine", studies, []string{"internal/fault", "study", "space"}}, // where trials are evaluated
	{"internal/webhook", studies, []string{"study"}},                           // signed notices to other programs
	{"internal/say", studies, []string{"study", "space"}},                      // numbers, money and times in words
	{"study", studies, []string{"space", "internal/cluster", "internal/fault"}},
	{"internal/cluster", studies, nil}, // what is known of clusters without asking one
	{"space", studies, []string{"internal/fault"}},
	{"internal/spirals", studies, []string{"internal/fault"}}, // what the quickstart tunes: a training run
	{"internal/fault", studies, nil},                          // the one vocabulary of errors
	{"internal/flock", studies, nil},                          // who lives is seen by locks on files

	{"policy", mathematics, []string{"internal/compare", "internal/front", "internal/choose", "internal/looks", "internal/rest", "internal/model", "gp"}},
	{"internal/compare", mathematics, []string{"internal/choose", "internal/looks", "internal/rest", "internal/model", "lookahead", "internal/maximise", "internal/parallel", "internal/normal"}}, // policies to compare with
	{"internal/choose", mathematics, []string{"internal/looks", "internal/model", "lookahead", "acq", "gp", "internal/maximise", "internal/sobol"}},                                               // beliefs in, one point out
	{"internal/looks", mathematics, []string{"internal/model", "acq", "gp", "internal/front", "internal/maximise", "internal/sobol", "internal/normal"}},                                          // cheap looks
	{"internal/rest", mathematics, []string{"internal/model", "acq", "gp", "internal/front", "internal/maximise", "internal/parallel", "internal/sobol", "internal/normal"}},                      // what the rest of the money buys
	{"internal/model/modeltest", mathematics, []string{"internal/maximise", "internal/model"}},
	{"internal/model", mathematics, []string{"acq", "gp", "internal/front", "internal/maximise", "internal/parallel", "internal/sobol", "internal/normal", "internal/student"}}, // observations in, beliefs out
	{"internal/changeover", mathematics, nil}, // the prices of changes, learnt
	{"internal/golden", mathematics, []string{"lookahead", "acq", "gp"}},
	{"lookahead", mathematics, []string{"acq", "gp", "internal/maximise", "internal/parallel", "internal/chol", "internal/sobol", "internal/normal"}}, // the paper's method
	{"acq", mathematics, []string{"gp", "internal/front", "internal/normal"}},
	{"gp", mathematics, []string{"internal/chol", "internal/lbfgsb", "internal/simd", "internal/normal"}},
	{"internal/maximise", mathematics, []string{"internal/lbfgsb", "internal/sobol", "internal/parallel"}}, // local searches from many starts
	{"internal/front", mathematics, []string{"internal/normal"}},                                           // several objectives: the front, and what would extend it
	{"internal/lbfgsb", mathematics, nil},
	{"internal/parallel", mathematics, nil},
	{"internal/chol", mathematics, nil},
	{"internal/sobol", mathematics, nil},
	{"internal/normal", mathematics, nil},
	{"internal/student", mathematics, nil},
	{"internal/simd", mathematics, nil},
	{"internal/gradcheck", mathematics, nil},
}

// onlyFor names packages that few may import, and those that may. Tests may. It includes the packages below these paths.
var onlyFor = map[string][]string{
	"internal/golden":            {},
	"internal/gradcheck":         {},
	"internal/model/modeltest":   {},
	"store/storetest":            {},
	"internal/engine/enginetest": {},
	"internal/runner/runnertest": {},
	"internal/recorded":          {},
	"store/sqlite":               {"cmd/eke", "examples/*", "internal/runner/runnertest"},
	"store/postgres":             {"cmd/eke"},
	"cmd":                        {},
	"examples":                   {},
}

// drivers names the libraries that speak to a database, and the one package that may import each.
var drivers = map[string]string{
	"github.com/jackc/pgx":     "store/postgres",
	"github.com/pressly/goose": "store/postgres",
	"modernc.org/sqlite":       "store/sqlite",
}

// theWorld is what the mathematics must not import, since a suggestion depends on the state alone. It includes the packages
// below these.
var theWorld = []string{"net", "database/sql", "os", "time"}

// exempt lists exceptions to that.
var exempt = map[string][]string{
	"internal/golden": {"os"}, // reads the reference's figures; no suggestion depends on it
	"internal/simd":   {"os"}, // reads EKE_NOSIMD, which says to do without assembly
}

const modulePath = "github.com/eke-bo/eke"

// TestImports compares every import of every package with the list.
func TestImports(t *testing.T) {
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
	for from, imported := range map[string]string{"policy": "internal/choose", "internal/choose": "lookahead", "lookahead": "acq", "acq": "gp"} {
		if !slices.Contains(found[from], path.Join(modulePath, imported)) {
			t.Errorf("the walk did not see %s import %s", from, imported)
		}
	}
}

// TestLayersAreExact finds packages and imports that are listed but do not exist: a list that allows more than there is
// misleads, and permits what nobody decided.
func TestLayersAreExact(t *testing.T) {
	found, err := importsOf(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range superfluous(layers, found) {
		t.Error(o)
	}
}

// superfluous lists the packages and imports that are listed but not found.
func superfluous(layers []entry, found map[string][]string) (list []string) {
	for _, r := range layers {
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
			list = append(list, title(r.name)+" is listed, but not there")
			continue
		}
		for _, name := range r.may {
			if !imported[name] {
				list = append(list, fmt.Sprintf("%s may import %s, but does not", title(r.name), title(name)))
			}
		}
	}
	return list
}

// TestLayersKeepTheRules tests the list itself, so that nobody can list an import in the wrong direction.
func TestLayersKeepTheRules(t *testing.T) {
	for _, o := range violations(layers) {
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
		// Parsed rather than built: the rules also hold for files of other systems.
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
	at := find(layers, from)
	if at < 0 {
		return []string{title(from) + " is not listed: add it to the list in deps_test.go, in its part and its layer"}
	}
	r := layers[at]
	var list []string
	for _, p := range imports {
		if to, ours := inModule(p); ours {
			if !slices.Contains(r.may, to) {
				list = append(list, fmt.Sprintf("%s imports %s, which deps_test.go does not list for it", title(from), title(to)))
			}
			continue
		}
		for driver, owner := range drivers {
			if isUnder(p, driver) && r.name != owner {
				list = append(list, fmt.Sprintf("%s imports %s, which is only for %s", title(from), p, owner))
			}
		}
		if r.part == mathematics && worldly(p) && !slices.Contains(exempt[r.name], p) {
			list = append(list, fmt.Sprintf("%s imports %s: mathematics uses no network, database, file or clock", title(from), p))
		}
	}
	return list
}

// violations lists what is wrong with a list of layers.
func violations(layers []entry) []string {
	var list []string
	say := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	for height, r := range layers {
		if find(layers, r.name) != height {
			say("%s is listed twice", title(r.name))
		}
		for _, name := range r.may {
			at := find(layers, name)
			if at < 0 {
				say("%s may import %s, which is not listed", title(r.name), title(name))
				continue
			}
			to := layers[at]
			if at <= height {
				say("%s may import %s: imports go down only", title(r.name), title(name))
			}
			if (r.part == studies && to.part == mathematics) || (r.part == mathematics && to.part != mathematics) {
				say("%s (%s) may import %s (%s): only the bridge imports both parts", title(r.name), r.part, title(name), to.part)
			}
			for guarded, importers := range onlyFor {
				if isUnder(name, guarded) && !slices.Contains(importers, r.name) {
					say("%s may import %s, which is only for %q", title(r.name), title(name), importers)
				}
			}
		}
	}
	return list
}

// find returns the place of a package in the list, or −1.
func find(layers []entry, name string) int {
	return slices.IndexFunc(layers, func(r entry) bool {
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

func title(name string) string {
	if name == "" {
		return "the root package"
	}
	return name
}

// A checker that cannot fail proves nothing: made-up imports it must pass, and must not.
func TestImportCheckerCanFail(t *testing.T) {
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
		{"internal/server", modulePath + "/internal/broker", ""},

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
		{"lookahead", modulePath, "imports the root package"}, // up
		{"store/sqlite", modulePath + "/store/postgres", "does not list"},
		{"cmd/eke", modulePath + "/bench/problem", "does not list"},
		{"cmd/eke", modulePath + "/policy", "does not list"},
		{"", modulePath + "/bench/paper", "does not list"},
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
func TestImportWalk(t *testing.T) {
	file := func(imported string) *fstest.MapFile {
		return &fstest.MapFile{Data: fmt.Appendf(nil, "package p\nimport %q", imported)}
	}
	found, err := importsOf(fstest.MapFS{
		"a.go":                   file("root"),
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
	want := map[string][]string{"": {"root"}, "gp": {"one", "two", "three"}}
	if err != nil || !maps.EqualFunc(found, want, slices.Equal) {
		t.Errorf("%v, %v, want %v", found, err, want)
	}
}

// The same for the rules: each of these imports, added to the list, must be noticed.
func TestLayerRulesCanFail(t *testing.T) {
	for _, c := range []struct{ from, may, want string }{
		{"space", "study", "down only"},
		{"gp", "policy", "down only"},
		{"gp", "gp", "down only"},
		{"study", "policy", "both parts"},
		{"cmd/eke", "policy", "both parts"},
		{"policy", "space", "both parts"},
		{"lookahead", "", "both parts"},
		{"store/sqlite", "store/postgres", "only for"},
		{"store/postgres", "store/sqlite", "only for"},
		{"internal/server", "store/sqlite", "only for"},
		{"cmd/eke", "internal/golden", "only for"},
		{"", "internal/golden", "only for"},
		{"internal/server", "internal/gradcheck", "only for"},
		{"study", "util", "not listed"},
	} {
		changed := slices.Clone(layers)
		r := &changed[find(changed, c.from)]
		r.may = append(slices.Clone(r.may), c.may)
		if list := strings.Join(violations(changed), "\n"); !strings.Contains(list, c.want) {
			t.Errorf("%s → %s passed, want %q: %s", title(c.from), title(c.may), c.want, list)
		}
	}
	if twice := append(slices.Clone(layers), entry{name: "gp"}); len(violations(twice)) == 0 {
		t.Error("a package listed twice passed")
	}
	listed := []entry{{"gp", mathematics, []string{"acq"}}, {"attic", studies, nil}}
	want := []string{"gp may import acq, but does not", "attic is listed, but not there"}
	if list := superfluous(listed, map[string][]string{"gp": {"math", modulePath + "/space"}}); !slices.Equal(list, want) {
		t.Errorf("%q, want %q", list, want)
	}
}
