package report

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"errors"
	"io"
	"time"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/insight"
	"github.com/eke-bo/eke/study"
)

// Data is what a report is made of.
type Data struct {
	Study   *study.Study
	Record  *study.Record
	Best    *advisor.Best    // nil: the best observation, if there is one
	Insight *insight.Insight // nil: the report says nothing of models
	Rest    *advisor.Rest    // what the rest of the money is expected to buy; nil: the report does not say
	Created time.Time        // when the report is made; zero: it does not say
	Version string           // of eke; empty: it does not say
}

// best returns the best setting.
func (d Data) best() (best advisor.Best, found bool) {
	if d.Best != nil {
		return *d.Best, true
	}
	best.Trial, found = d.Record.Best(d.Study.Objective.Goal)
	return best, found
}

func (d Data) check() error {
	if d.Study == nil || d.Record == nil {
		return errors.New("report: a report needs a study and its record")
	}
	return nil
}

var (
	//go:embed style.css
	style string
	//go:embed script.js
	script string
)

// Write writes the report as one HTML file that needs nothing else: no network, no fonts and, to be read,
// no script.
func Write(w io.Writer, d Data) error {
	if err := d.check(); err != nil {
		return err
	}
	_, err := io.WriteString(w, newPage(d).html()) // the whole page at once: half a report is worse than none
	return err
}

// scriptHash lets the browser run this script and no other, should one ever slip in.
func scriptHash() string {
	sum := sha256.Sum256([]byte(script))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
