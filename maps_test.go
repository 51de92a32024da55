package eke_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// A wrong list of files is worse than none. These tests check every list that a reader may follow: the file maps of doc.go
// files, the packages in CONTRIBUTING.md, the files in the root's doc.go, and the tests that commands on pages run.

// TestFileMaps checks every doc.go that names files of its own package: it names only files that are there, and all
// of them if it has a map: lines that begin with a file's name.
func TestFileMaps(t *testing.T) {
	maps := 0
	walk(t, os.DirFS("."), func(tree fs.FS, name string) {
		if path.Base(name) == "doc.go" {
			maps++
			for _, problem := range fileMap(tree, name) {
				t.Error(problem)
			}
		}
	})
	if maps < 10 {
		t.Errorf("the walk saw %d doc.go files", maps)
	}
}

// Whoever reads the product opens its files. Generated files and those that only tests use do not count: the suites that every store and
// every engine passes, runs in processes of their own, states, reference figures, finite differences, recorded conversations.
const mostFiles, mostLines = 350, 600

// TestFilesCanBeRead keeps the number of files, and their length, within what a person reads. A file is a topic: the next one takes the place of another.
func TestFilesCanBeRead(t *testing.T) {
	files, problems := unreadable(t, os.DirFS("."))
	if files > mostFiles {
		t.Errorf("there are %d files, at most %d can be read", files, mostFiles)
	}
	if files < mostFiles/2 {
		t.Errorf("the walk saw %d files", files)
	}
	for _, problem := range problems {
		t.Error(problem)
	}
}

// unreadable counts the product's files, and names every file that is too long, tests included.
func unreadable(t *testing.T, tree fs.FS) (files int, problems []string) {
	support := regexp.MustCompile(`^(store/storetest|internal/(engine/enginetest|runner/runnertest|model/modeltest|golden|gradcheck|recorded|api/gen))/`)
	walk(t, tree, func(tree fs.FS, name string) {
		if path.Ext(name) != ".go" {
			return
		}
		if lines := strings.Count(string(read(tree, name)), "\n"); lines > mostLines {
			problems = append(problems, fmt.Sprintf("%s has %d lines, at most %d can be read", name, lines, mostLines))
		}
		if !strings.HasSuffix(name, "_test.go") && !support.MatchString(name) {
			files++
		}
	})
	return files, problems
}

// walk calls f with every file of the module that can be read as a part of it.
func walk(t *testing.T, tree fs.FS, f func(tree fs.FS, name string)) {
	t.Helper()
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && skipped(tree, name):
			return fs.SkipDir
		case !d.IsDir():
			f(tree, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// goFile finds names of files in a text: extend.go, group_*.go, but not ./cmd/eke/kill.go, which is elsewhere.
var goFile = regexp.MustCompile(`(^|[\s(,])([a-z0-9_*]+\.go)\b`)

// mapped finds the lines of a file map in the comment of a package, where they are indented.
var mapped = regexp.MustCompile(`(?m)^\t[a-z0-9_*]+\.go\b`)

// fileMap says what is wrong with the files that a doc.go names.
func fileMap(tree fs.FS, name string) (problems []string) {
	file, err := parser.ParseFile(token.NewFileSet(), name, read(tree, name), parser.ParseComments|parser.PackageClauseOnly)
	if err != nil {
		return []string{err.Error()}
	}
	var named []string
	for _, match := range goFile.FindAllStringSubmatch(file.Doc.Text(), -1) {
		named = append(named, match[2])
	}
	there, err := fs.Glob(tree, path.Join(path.Dir(name), "*.go"))
	if err != nil {
		return []string{err.Error()}
	}
	for _, pattern := range named {
		if !slices.ContainsFunc(there, func(f string) bool { ok, _ := path.Match(pattern, path.Base(f)); return ok }) {
			problems = append(problems, fmt.Sprintf("%s names %s, which is not there", name, pattern))
		}
	}
	if len(mapped.FindAllString(file.Doc.Text(), -1)) < 2 {
		return problems
	}
	for _, f := range there {
		base := path.Base(f)
		if base == "doc.go" || strings.HasSuffix(base, "_test.go") {
			continue
		}
		if !slices.ContainsFunc(named, func(pattern string) bool { ok, _ := path.Match(pattern, base); return ok }) {
			problems = append(problems, fmt.Sprintf("%s maps its package, but leaves out %s", name, base))
		}
	}
	return problems
}

func read(tree fs.FS, name string) []byte {
	raw, err := fs.ReadFile(tree, name)
	if err != nil {
		return nil
	}
	return raw
}

// TestPackageTable checks that the table in CONTRIBUTING.md has every package, and nothing else.
func TestPackageTable(t *testing.T) {
	packages, err := importsOf(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range packageTable(string(read(os.DirFS("."), "CONTRIBUTING.md")), packages) {
		t.Error(problem)
	}
}

// tableLine is a line of the table: one package or several, and what they are for.
var tableLine = regexp.MustCompile("(?m)^\\| (`[^|]+`) \\|")

func packageTable[T any](text string, packages map[string]T) (problems []string) {
	_, text, found := strings.Cut(text, "## Packages")
	if !found {
		return []string{"CONTRIBUTING.md has no section on packages"}
	}
	text, _, _ = strings.Cut(text, "\n## ")
	listed := map[string]bool{}
	for _, match := range tableLine.FindAllStringSubmatch(text, -1) {
		for name := range strings.SplitSeq(match[1], ", ") {
			name = strings.Trim(name, "`")
			if listed[name] {
				problems = append(problems, name+" is listed twice")
			}
			listed[name] = true
			if _, ok := packages[strings.TrimPrefix(name, ".")]; !ok {
				problems = append(problems, name+" is listed, but is no package")
			}
		}
	}
	for name := range packages {
		if name == "" {
			name = "."
		}
		if !listed[name] {
			problems = append(problems, name+" is a package that the table leaves out")
		}
	}
	return problems
}

var codePath = regexp.MustCompile("`((?:[A-Za-z0-9_.*-]+/)+[A-Za-z0-9_.*-]*|[a-z0-9_*-]+\\.go)`")

// TestDocumentsNameWhatIsThere looks for the files and folders that README.md and CONTRIBUTING.md name. Links are followed by the tests
// of internal/site.
func TestDocumentsNameWhatIsThere(t *testing.T) {
	for _, name := range []string{"README.md", "CONTRIBUTING.md"} {
		for _, match := range codePath.FindAllStringSubmatch(string(read(os.DirFS("."), name)), -1) {
			if there, err := fs.Glob(os.DirFS("."), strings.TrimSuffix(match[1], "/")); err != nil || len(there) == 0 && !made(match[1]) {
				t.Errorf("%s names %s, which is not there", name, match[1])
			}
		}
	}
}

// goPath finds paths of files in the comment of a package.
var goPath = regexp.MustCompile(`\b[a-z]+/[a-z0-9_/]+\.go\b`)

// TestRootDocNamesWhatIsThere does the same for the root's doc.go.
func TestRootDocNamesWhatIsThere(t *testing.T) {
	paths := goPath.FindAllString(string(read(os.DirFS("."), "doc.go")), -1)
	if len(paths) < 5 {
		t.Errorf("doc.go names %q", paths)
	}
	for _, name := range paths {
		if _, err := os.Stat(name); err != nil {
			t.Errorf("doc.go names %s, which is not there", name)
		}
	}
}

// made says which files are made by a command that the documents speak of.
func made(name string) bool {
	return strings.HasPrefix(name, "build/") || strings.HasPrefix(name, "bin/") || strings.HasPrefix(name, "eke.")
}

// A check that cannot fail proves nothing.
func TestMapChecksCanFail(t *testing.T) {
	tree := fstest.MapFS{
		"p/doc.go":      {Data: []byte("// Package p has\n//\n//\ta.go  one thing\n//\tgone.go  another (see elsewhere/far.go)\npackage p\n")},
		"p/a.go":        {Data: []byte("package p\n")},
		"p/b.go":        {Data: []byte("package p\n")},
		"p/b_test.go":   {Data: []byte("package p\n")},
		"one/doc.go":    {Data: []byte("// Package one speaks of a.go and of\n// a.go only (a.go).\npackage one\n")},
		"one/a.go":      {Data: []byte("package one\n")},
		"one/b.go":      {Data: []byte("package one\n")},
		"many/doc.go":   {Data: []byte("// Package many has\n//\n//\ta_*.go  several\n//\tb.go    one\npackage many\n")},
		"many/a_x.go":   {Data: []byte("package many\n")},
		"many/a_y.go":   {Data: []byte("package many\n")},
		"many/b.go":     {Data: []byte("package many\n")},
		"many/other.go": {Data: []byte("package many\n")},
	}
	for name, want := range map[string][]string{
		"p/doc.go":    {"p/doc.go names gone.go, which is not there", "p/doc.go maps its package, but leaves out b.go"},
		"one/doc.go":  nil,
		"many/doc.go": {"many/doc.go maps its package, but leaves out other.go"},
	} {
		if got := fileMap(tree, name); !slices.Equal(got, want) {
			t.Errorf("%s: %q, not %q", name, got, want)
		}
	}
	got := packageTable("## Packages\n| `.` | x |\n| `a`, `b/c` | y |\n## Next\n| `d` | z |\n", map[string]bool{"": true, "a": true, "d": true})
	slices.Sort(got)
	if want := []string{"b/c is listed, but is no package", "d is a package that the table leaves out"}; !slices.Equal(got, want) {
		t.Errorf("the packages: %q, not %q", got, want)
	}
	tree["long/long_test.go"] = &fstest.MapFile{Data: []byte(strings.Repeat("\n", mostLines+1))}
	tree["internal/golden/golden.go"] = &fstest.MapFile{Data: []byte("package golden\n")}
	files, problems := unreadable(t, tree)
	if want := []string{"long/long_test.go has 601 lines, at most 600 can be read"}; !slices.Equal(problems, want) {
		t.Errorf("long files: %q, not %q", problems, want)
	}
	if files != 11 { // neither tests nor what only tests use
		t.Errorf("%d files, want 11", files)
	}
}

var (
	versionLine  = regexp.MustCompile(`(?m)^## \[(\d+\.\d+\.\d+)\] – (\d{4}-\d{2}-\d{2})$`)
	pythonsLines = map[string]*regexp.Regexp{
		"clients/python/pyproject.toml":  regexp.MustCompile(`(?m)^version = "(.*)"$`),
		"clients/python/eke/__init__.py": regexp.MustCompile(`(?m)^__version__ = "(.*)"$`),
	}
)

// TestVersions checks that CHANGELOG.md lists versions with their dates, the newest first, and that the Python package has the newest. The
// program's own version is that of its tag.
func TestVersions(t *testing.T) {
	versions := versionLine.FindAllStringSubmatch(string(read(os.DirFS("."), "CHANGELOG.md")), -1)
	if len(versions) < 2 || !slices.IsSortedFunc(versions, func(a, b []string) int { return strings.Compare(b[2], a[2]) }) {
		t.Fatalf("CHANGELOG.md has the versions %q", versions)
	}
	for name, line := range pythonsLines {
		if found := line.FindStringSubmatch(string(read(os.DirFS("."), name))); len(found) < 2 || found[1] != versions[0][1] {
			t.Errorf("%s has %q, and CHANGELOG.md %s", name, found, versions[0][1])
		}
	}
}

// testCommand finds a command that runs some tests or benchmarks, and the packages that it names.
var (
	testCommand = regexp.MustCompile("go test [^`\n\"]*")
	testPattern = regexp.MustCompile(`-(run|bench) (?:'([^']*)'|(\S+))`)
	testPackage = regexp.MustCompile(` \./([\w/]+)`)
)

// TestCommandsFindTests looks for what the commands on pages and in comments run: go test is content to run nothing.
func TestCommandsFindTests(t *testing.T) {
	files, seen := os.DirFS("."), 0
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		switch base := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && (base == "node_modules" || base == "build" || base != "." && base[0] == '.'):
			return fs.SkipDir
		case d.IsDir() || path.Ext(name) != ".md" && path.Ext(name) != ".go" || name == "maps_test.go":
			return nil
		}
		for _, command := range testCommand.FindAllString(string(read(files, name)), -1) {
			found, problems := testsOf(files, command)
			for _, p := range problems {
				t.Errorf("%s: %s", name, p)
			}
			seen += found
		}
		return nil
	})
	if err != nil || seen < 20 {
		t.Error(seen, err)
	}
}

// testsOf returns how many patterns of a command find a test, and the problems of those that find none.
func testsOf(files fs.FS, command string) (found int, problems []string) {
	for _, m := range testPattern.FindAllStringSubmatch(command, -1) {
		pattern, _, _ := strings.Cut(strings.ReplaceAll(m[2]+m[3], `\|`, "|"), "/")
		if pattern == "xxx" || pattern == "^$" {
			continue // no tests, only benchmarks
		}
		kind := map[string]string{"run": "Test", "bench": "Benchmark"}[m[1]]
		for _, p := range testPackage.FindAllStringSubmatch(command, -1) {
			if tests := regexp.MustCompile(`(?m)^func (` + kind + `\w*)\(`); anyTest(files, p[1], tests, regexp.MustCompile(pattern)) {
				found++
			} else {
				problems = append(problems, command+" finds nothing in "+p[1])
			}
		}
	}
	return found, problems
}

func anyTest(files fs.FS, folder string, tests, pattern *regexp.Regexp) bool {
	names, _ := fs.Glob(files, folder+"/*_test.go")
	return slices.ContainsFunc(names, func(name string) bool {
		return slices.ContainsFunc(tests.FindAllStringSubmatch(string(read(files, name)), -1), func(m []string) bool { return pattern.MatchString(m[1]) })
	})
}

// A check that cannot fail proves nothing.
func TestCommandsFindTestsCanFail(t *testing.T) {
	files := fstest.MapFS{"gp/a_test.go": {Data: []byte("package gp\n\nfunc TestFit(t *testing.T) {}\nfunc BenchmarkPull(b *testing.B) {}\n")}}
	for command, want := range map[string]int{
		"go test -v -run 'Fit|Other' ./gp": 1, "go test -run xxx -bench Pull/n=50 ./gp": 1, "go test -run Pull ./gp": 0, "go test -run Fit ./acq": 0,
	} {
		if found, problems := testsOf(files, command); found != want || len(problems) != 1-want {
			t.Error(command, found, problems)
		}
	}
}
