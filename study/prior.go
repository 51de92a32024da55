package study

import (
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/eke-bo/eke/space"
)

// Prior is what an earlier, similar study found. A study that was told to start from it keeps a copy in its log, so that its
// trials depend on nothing outside of it. It is the body of a prior event.
type Prior struct {
	From    string    `json:"name"`            // From names the earlier study, or the file that its results came from.
	Noisy   bool      `json:"noisy,omitempty"` // Noisy says that its values had noise.
	Results []Earlier `json:"results"`         // Results are its results, oldest first.
}

// Earlier is a result of an earlier study. Its setting has the parameters of that study.
type Earlier struct {
	Setting space.Setting `json:"setting"`        // Setting is what was tried.
	Value   float64       `json:"value"`          // Value is what it returned.
	Cost    float64       `json:"cost,omitempty"` // Cost is what it cost there; 0 means that nobody knows.
}

func (r *Record) prior(e Event) error {
	p := e.Prior
	switch {
	case p == nil || len(p.Results) == 0:
		return refuse("there are no earlier results")
	case r.Prior != nil:
		return refuse("the study already starts from %s", r.Prior.From)
	case len(r.Trials) > 0:
		return refuse("trials were chosen already")
	}
	for i, result := range p.Results {
		if math.IsNaN(result.Value) || math.IsInf(result.Value, 0) || !isAmount(result.Cost) {
			return refuse("earlier result %d has the value %v and the cost %v", i+1, result.Value, result.Cost)
		}
	}
	r.Prior = p
	return nil
}

// earlierFiles are the endings of files that a study may start from.
var earlierFiles = []string{".csv", ".json", ".jsonl", ".log", ".db", ".sqlite", ".sqlite3"}

// StartsFromFile reports whether StartFrom is a path, rather than the name of a study: it has a slash, or ends like a file with results. After
// a # may stand the name of a study in the file.
func (s *Study) StartsFromFile() bool {
	path, _, _ := strings.Cut(s.StartFrom, "#")
	return strings.ContainsAny(path, `/\`) || slices.Contains(earlierFiles, strings.ToLower(filepath.Ext(path)))
}

func (r *reader) readStartFrom(n *node, s *Study) string {
	from, ok := r.text(n, "start_from")
	if !ok {
		return ""
	}
	const hint = "give the name of an earlier study, or the path of a file with its results, such as ./results.csv"
	switch check := (Study{StartFrom: from}); {
	case from == s.Name:
		r.fail(n.at, "start_from", hint, "start_from is %s, this study itself", quoteShort(from))
	case !check.StartsFromFile() && !studyName.MatchString(from):
		r.fail(n.at, "start_from", hint, "start_from is %s, which is neither a name nor a file", quoteShort(from))
	}
	return from
}
