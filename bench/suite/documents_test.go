package suite

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eke-bo/eke/bench/problem"
	"github.com/eke-bo/eke/bench/show"
	"github.com/eke-bo/eke/bench/stats"
)

// What the documents say of the suite is what its code and the results in the repository say.

const documents = "../../"

func document(t *testing.T, name string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(documents, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// committed returns the results in the repository.
func committed(t *testing.T, dir string, e Experiment) *grid {
	t.Helper()
	runs, err := Folder(documents + dir).Read()
	if err != nil {
		t.Fatal(err)
	}
	g, err := newGrid(runs, e, "default")
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// kept are the results of the suite, which take a second to read.
var kept = sync.OnceValues(func() ([]Run, error) { return Folder(documents + "docs/results/suite").Read() })

func suiteResults(t *testing.T) *grid {
	t.Helper()
	runs, err := kept()
	if err != nil {
		t.Fatal(err)
	}
	g, err := newGrid(runs, Experiment{Set: All}, "default")
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func looks(t *testing.T) *grid {
	return committed(t, "docs/results/fidelity", Experiment{Set: Fidelity, Policies: []string{"default", "default-looks", "default#before", "asha", "hyperband"}})
}

// The tables in the repository match the results in the repository.
func TestCommittedTablesAreUpToDate(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes ten seconds")
	}
	for dir, c := range map[string]struct {
		g    *grid
		draw string
	}{
		"docs/results/suite":    {suiteResults(t), "--set all"},
		"docs/results/fidelity": {looks(t), "--set fidelity --policies default,default-looks,default#before,asha,hyperband"},
	} {
		t.Run(dir, func(t *testing.T) {
			t.Parallel()
			if d := cmp.Diff(document(t, dir+"/suite.md"), string(markdown(c.g.parts()))); d != "" {
				t.Errorf("%s/suite.md is old; go run ./bench/cmd/eke-bench suite --draw %s --out %s (-kept +fresh):\n%s", dir, c.draw, dir, d)
			}
			if _, err := os.Stat(documents + dir + "/suite.png"); err != nil {
				t.Error(err)
			}
		})
	}
}

// sizes are the numbers of problems that a document may speak of.
func sizes(t *testing.T) (suite, tuning, validation, results, unseen int) {
	for _, info := range problem.Tasks() {
		suite++
		if info.Validation {
			validation++
		}
	}
	g := suiteResults(t)
	return suite, suite - validation, validation, len(g.rows), len(g.part(true).rows)
}

// ofProblems finds how many problems a page says there are.
var ofProblems = regexp.MustCompile(`\b(\d+)\s+(?:validation |tuning )?problems`)

// All pages agree on how many problems there are in the suite and in the results.
func TestDocumentsAgreeOnTheSize(t *testing.T) {
	suite, tuning, validation, results, unseen := sizes(t)
	for name, want := range map[string][]string{
		"README.md":       {fmt.Sprintf("%d problems", results)},
		"docs/RESULTS.md": {fmt.Sprintf("%d problems", suite), fmt.Sprintf("on the %d that", results), fmt.Sprintf("at %d of them", unseen)},
		"bench/NOTES.md":  {fmt.Sprintf("on %d problems", suite), fmt.Sprintf("Of the %d problems, %d are for validation", suite, validation), fmt.Sprintf("on %d problems, %d of them for validation", results, unseen)},
	} {
		text := document(t, name)
		for _, phrase := range want {
			if !strings.Contains(text, phrase) {
				t.Errorf("%s does not say %q", name, phrase)
			}
		}
	}
	pages, err := filepath.Glob(documents + "docs/*.md")
	if err != nil || len(pages) < 20 {
		t.Fatal(pages, err)
	}
	known := []int{suite, tuning, results, 64} // TPE and the first default have played 64
	for _, name := range append(pages, documents+"README.md", documents+"CHANGELOG.md", documents+"bench/README.md", documents+"bench/NOTES.md") {
		for _, wrong := range otherSizes(document(t, name[len(documents):]), known) {
			t.Errorf("%s speaks of %s: the suite has %d problems, and the results %d", name, wrong, suite, results)
		}
	}
}

// otherSizes returns the large numbers of problems in a text that are not known. Small ones are parts of the suite.
func otherSizes(text string, known []int) (list []string) {
	for _, match := range ofProblems.FindAllStringSubmatch(text, -1) {
		if n, err := strconv.Atoi(match[1]); err == nil && n >= 50 && !slices.Contains(known, n) {
			list = append(list, match[0])
		}
	}
	return list
}

// Whatever has played with the default is behind it on average, as the pages say.
func TestTheDefaultIsAhead(t *testing.T) {
	g := suiteResults(t)
	for _, part := range []*grid{g, g.part(true)} {
		for _, policy := range g.policies {
			if groups, pairs := part.differences(policy); policy != "default" && pairs > 0 && stats.Between(groups).Mean <= 0 {
				t.Errorf("%s is ahead: %v over %d pairs of %d problems", policy, stats.Between(groups).Mean, pairs, len(part.rows))
			}
		}
	}
	if ranks, problems := g.meanRanks(); ranks != nil {
		t.Errorf("mean ranks over %d of %d problems", problems, len(g.rows))
	}
}

// The tables on the pages have the figures of the results.
func TestTablesOfDocuments(t *testing.T) {
	g := suiteResults(t)
	unseen := g.part(true)
	between := func(g *grid, policy string) string {
		groups, _ := g.differences(policy)
		return "**" + within(stats.Between(groups)) + "**"
	}
	page := document(t, "docs/RESULTS.md")
	for _, p := range amongAll {
		regret := show.Fixed(g.average(p.policy, func(r Run) float64 { return r.Final() }), 2)
		row := fmt.Sprintf("| %s | %s | %s |", regret, between(g, p.policy), between(unseen, p.policy))
		if p.policy == g.against {
			row = fmt.Sprintf("| %s | – | – |", regret)
		}
		if !hasRow(page, p.policy, row) {
			t.Errorf("docs/RESULTS.md has no row of %s that ends in %s", p.policy, row)
		}
	}
	f := looks(t)
	page = document(t, "docs/FIDELITY.md")
	least, most, informative, ahead := math.Inf(1), math.Inf(-1), 0, 0
	for _, r := range f.rows {
		needed, _ := r.needed("default", "default-looks")
		if r.Name != "gp2-misleading" && r.Name != "spirals-live" { // low fidelities say something about the highest
			least, most, informative = min(least, needed.Mean), max(most, needed.Mean), informative+1
		}
		if mine := r.average("default", Run.Final); mine < min(r.average("asha", Run.Final), r.average("hyperband", Run.Final)) {
			ahead++
		}
		row := "|"
		for _, policy := range []string{"default", "default-looks", "asha", "hyperband"} {
			row += " " + show.Fixed(r.average(policy, func(r Run) float64 { return r.Final() }), 2) + " |"
		}
		row += " " + strings.TrimSuffix(share(needed), " [more, more]") + " |"
		if !strings.Contains(page, row) {
			t.Errorf("docs/FIDELITY.md has no row of %s with %s", r.Name, row)
		}
	}
	if informative != 10 || ahead != 10 {
		t.Errorf("%d problems have informative low fidelities, and looks are ahead of ASHA and Hyperband on %d; the pages say ten", informative, ahead)
	}
	money := fmt.Sprintf("looks need %s to %s %% of the money", show.Fixed(100*least, 0), show.Fixed(100*most, 0))
	for name, phrases := range map[string][]string{
		"docs/FIDELITY.md": {money, "ahead of ASHA and Hyperband on ten of the twelve problems"},
		"bench/NOTES.md":   {money, "**Ahead of ASHA and Hyperband** on ten of twelve problems"},
	} {
		for _, phrase := range phrases {
			if !strings.Contains(document(t, name), phrase) {
				t.Errorf("%s does not say %q", name, phrase)
			}
		}
	}
}

// A figure that stands on several pages is the same on all of them. Where the results in the repository have it, it is theirs.
func TestFiguresInSeveralPlaces(t *testing.T) {
	runs, err := kept()
	if err != nil {
		t.Fatal(err)
	}
	before, err := newGrid(runs, Experiment{Set: All}, "default#before")
	if err != nil {
		t.Fatal(err)
	}
	behind := func(g *grid, policy string) string {
		groups, _ := g.differences(policy)
		return within(stats.Between(groups))
	}
	mean := func(interval string) string { return strings.Fields(interval)[0] }
	ei, tpe, eiNow := behind(before, "ei#before"), behind(suiteResults(t), "tpe"), behind(suiteResults(t), "ei#before")
	const load, asks, memory, small, many = "0.82 s", "0.87 s", "232 MiB", "| 0.039 |", "| 2.1 |"
	for figure, pages := range map[string][]string{
		ei:                       {"docs/FAQ.md", "bench/NOTES.md"},
		mean(ei) + " behind":     {"docs/OPTUNA.md"},
		mean(eiNow) + " behind":  {"docs/OPTUNA.md"},
		"TPE " + mean(tpe):       {"docs/OPTUNA.md"},
		tpe:                      {"docs/RESULTS.md"},
		load:                     {"docs/SERVICE.md", "docs/RELIABILITY.md", "bench/NOTES.md"},
		asks:                     {"docs/SERVICE.md", "docs/RELIABILITY.md", "bench/NOTES.md"},
		memory:                   {"docs/RELIABILITY.md", "bench/NOTES.md"},
		small:                    {"docs/PERFORMANCE.md"},
		many:                     {"docs/PERFORMANCE.md"},
		"about 0.04 s":           {"README.md"}, // these two round the two before
		"2 s with 2,000":         {"README.md"},
		"two seconds with 2,000": {"docs/FAQ.md"},
		"0.11 s":                 {"docs/PERFORMANCE.md", "bench/NOTES.md"},
		"0.81 s":                 {"docs/PERFORMANCE.md", "bench/NOTES.md"},
		"twelve minutes on two":  {"README.md", "CONTRIBUTING.md"},
	} {
		for _, page := range pages {
			if !strings.Contains(document(t, page), figure) {
				t.Errorf("%s does not have %q", page, figure)
			}
		}
	}
	if times := math.Round(math.Pow(10, stats.Between(first(suiteResults(t).differences("tpe"))).Mean)/10) * 10; !strings.Contains(document(t, "README.md"), fmt.Sprintf("about %g times as large", times)) {
		t.Errorf("README.md does not say that TPE's regret is about %g times as large", times)
	}
}

func first[A, B any](a A, _ B) A { return a }

// hasRow says whether a table has a row whose first cell names a policy and that ends as is said.
func hasRow(page, policy, end string) bool {
	for line := range strings.Lines(page) {
		if first, _, _ := strings.Cut(strings.TrimPrefix(line, "|"), "|"); strings.HasSuffix(strings.TrimSpace(line), end) &&
			(strings.Contains(first, "`"+policy+"`") || strings.Contains(first, "**"+policy+"**")) {
			return true
		}
	}
	return false
}

// A check that cannot fail proves nothing.
func TestChecksOfDocumentsCanFail(t *testing.T) {
	if got := otherSizes("on 80 problems, of 70 problems, 12 problems and 61\nvalidation problems", []int{80}); !slices.Equal(got, []string{"70 problems", "61\nvalidation problems"}) {
		t.Errorf("%q", got)
	}
	const page = "| `ei` | 1 | 2 |\n| **default** (x) | 3 | – |\n"
	if !hasRow(page, "ei", "| 1 | 2 |") || !hasRow(page, "default", "| 3 | – |") || hasRow(page, "ei", "| 1 | 3 |") || hasRow(page, "ei-puc", "| 1 | 2 |") {
		t.Error("rows are not told apart")
	}
	if got := moneyOf("ASHA  68  0.389 [0.307, 0.480]  6.32 [5.71, 6.94]  39 % [29 %, 62 %]  0.038"); got != 39 {
		t.Errorf("money %v, want 39", got)
	}
	if got := moneyOf("eke  136  0.345 [0.261, 0.433]  –  0.273"); !math.IsNaN(got) {
		t.Errorf("money %v, want none", got)
	}
	g, err := newGrid(byHand(), Experiment{Set: Tuning}, "default")
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(markdown(g.parts()), []byte(document(t, "docs/results/suite/suite.md"))) {
		t.Error("all tables are equal")
	}
}

// What the documents say of prices of changes is what the runs say.
func TestChangesAreWhatTheDocumentsSay(t *testing.T) {
	var out strings.Builder
	if err := ChangeReport(&out, []string{documents + "docs/results/changeover"}, told, ""); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"56 % [51 %, 61 %]", "51 % [47 %, 56 %]", "−2 % [−5 %, 1 %]", "16 % [8 %, 25 %]"} {
		for name, text := range map[string]string{"eke-bench changes": out.String(), "NOTES.md": document(t, "bench/NOTES.md")} {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not say %s", name, want)
			}
		}
	}
	out.Reset()
	if err := ChangeReport(&out, []string{documents + "docs/results/changeover"}, "log-ei-puc", ""); err != nil || !strings.Contains(out.String(), "−0.01 [−0.13, 0.12]") {
		t.Errorf("planning: %v\n%s", err, out.String())
	}
	if !strings.Contains(document(t, "docs/RESULTS.md"), "56 % [51 %, 61 %]") {
		t.Error("RESULTS.md says something else of prices of changes")
	}
	if !strings.Contains(document(t, "bench/NOTES.md"), "−0.01 [−0.13, 0.12]") {
		t.Error("NOTES.md says something else of planning around changes")
	}
}

// What the documents say of LCBench is what the runs say.
func TestLCBenchIsWhatTheDocumentsSay(t *testing.T) {
	var out strings.Builder
	names := map[string]string{"default": "eke", "default-looks": "eke, full trainings alone", "random": "random settings", "asha": "ASHA", "hyperband": "Hyperband"}
	for label, name := range map[string]string{"gp": "Optuna's GPSampler", "tpe": "Optuna's TPE", "tpe hyperband": "Optuna's TPE, Hyperband pruning", "tpe median": "Optuna's TPE, median pruning"} {
		names["external:rival optuna "+label] = name
	}
	if err := Anytime(&out, t.TempDir(), []string{documents + "docs/results/lcbench"}, Experiment{Set: LCBench}, "default", names); err != nil {
		t.Fatal(err)
	}
	all, apart, _ := strings.Cut(out.String(), "Tuning problems")
	_, validation, _ := strings.Cut(apart, "Validation problems")
	_, table, _ := strings.Cut(document(t, "docs/RESULTS.md"), "| tuner | with 25 % of the money |")
	table, _, _ = strings.Cut(table, "\n\n")
	rows := strings.Split(table, "\n")[2:]
	if len(rows) != len(names) {
		t.Errorf("RESULTS.md has %d tuners, want %d", len(rows), len(names))
	}
	for _, row := range rows {
		cells := strings.Split(strings.Trim(strings.ReplaceAll(row, "**", ""), "| "), " | ")
		for i, cell := range cells[1:] {
			text := all
			if i == len(cells)-2 {
				text = validation
			}
			if !strings.Contains(lineOf(text, cells[0]), "  "+cell) {
				t.Errorf("RESULTS.md says %q of %s, and the runs say %q", cell, cells[0], lineOf(text, cells[0]))
			}
		}
	}
	least, most := math.Inf(1), math.Inf(-1)
	for _, name := range names {
		if money := moneyOf(lineOf(all, name)); strings.HasPrefix(name, "Optuna's TPE") {
			least, most = min(least, money), max(most, money)
		}
	}
	said := fmt.Sprintf("`eke` needs %g to %g %% of the money to get as far as", least, most)
	for _, page := range []string{"README.md", "docs/RESULTS.md"} {
		if !strings.Contains(document(t, page), said) {
			t.Errorf("%s does not say %q", page, said)
		}
		if byChance := strings.Contains(lineOf(all, "Optuna's GPSampler"), ", more]"); byChance != strings.Contains(document(t, page), "lead over Optuna's GPSampler is within chance") {
			t.Errorf("%s says something else of GPSampler than %q", page, lineOf(all, "Optuna's GPSampler"))
		}
	}
	notes := document(t, "bench/NOTES.md")
	for name, say := range map[string]string{"eke": "With all of the money `eke` has %s,", "Optuna's GPSampler": " GPSampler %s,", "eke, full trainings alone": " full trainings alone %s,", "Optuna's TPE": " TPE %s."} {
		cells := regretCell.FindAllString(lineOf(all, name), -1)
		if len(cells) < 3 {
			t.Fatalf("%s: %q", name, lineOf(all, name))
		}
		end := cells[2] // with a quarter, with half and with all of the money
		if name != "eke" {
			end = strings.Fields(end)[0]
		}
		if said := fmt.Sprintf(say, end); !strings.Contains(notes, said) {
			t.Errorf("NOTES.md does not say %q", said)
		}
	}
}

var (
	moneyCell  = regexp.MustCompile(`  (\d+) % \[`)
	regretCell = regexp.MustCompile(`\d\.\d{3} \[\d\.\d{3}, \d\.\d{3}\]`)
)

// moneyOf returns the money, in percent, in a line of any-time figures.
func moneyOf(line string) float64 {
	if match := moneyCell.FindStringSubmatch(line); match != nil {
		v, _ := strconv.ParseFloat(match[1], 64)
		return v
	}
	return math.NaN()
}

// lineOf returns the line of a text that begins with a name and two blanks.
func lineOf(text, name string) string {
	for l := range strings.Lines(text) {
		if strings.HasPrefix(l, name+"  ") {
			return l
		}
	}
	return ""
}
