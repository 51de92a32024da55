package broker

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// Result is a result from elsewhere.
type Result struct {
	Setting space.Setting
	Value   float64
	Cost    float64 // 0: nobody knows
	Row     string  // tells the row of a file that it was read from; empty if it was told otherwise
}

// Imported is what an import came to.
type Imported struct {
	Added   int     `json:"added"`   // results that are new
	Known   int     `json:"known"`   // results that were known already
	Reread  int     `json:"reread"`  // those of them whose rows were read in another way before
	Charged float64 `json:"charged"` // what the study was charged for the new ones
}

// importer is the runner of trials that were run elsewhere and are charged.
const importer = "import"

// Observe adds a result that is known from elsewhere. It is not charged. The same result told again changes nothing.
func (b *Broker) Observe(ctx context.Context, setting space.Setting, value, cost float64) error {
	_, err := b.Import(ctx, []Result{{Setting: setting, Value: value, Cost: cost}}, false)
	return err
}

// Import adds results from elsewhere, all of them or none. They are known results, which cost the study nothing; or, if they are to be
// charged, trials like any others, as far as their cost is known. A result that is there already is not added again, so that an
// import which was interrupted can be repeated. Nor is a row that was read in another way before, unless that result was forgotten.
func (b *Broker) Import(ctx context.Context, results []Result, charge bool) (done Imported, err error) {
	_, err = b.update(ctx, func(r *study.Record) (events []study.Event, err error) {
		events, done, err = b.imports(r, results, charge)
		return events, err
	})
	if err != nil {
		done = Imported{}
	}
	return done, err
}

// WouldImport says what Import would come to, and changes nothing.
func (b *Broker) WouldImport(ctx context.Context, results []Result, charge bool) (Imported, error) {
	r, err := b.Record(ctx)
	if err != nil {
		return Imported{}, err
	}
	_, done, err := b.imports(r, results, charge)
	return done, err
}

func (b *Broker) imports(r *study.Record, results []Result, charge bool) (events []study.Event, done Imported, err error) {
	if err := b.mayEncode(r); err != nil {
		return nil, done, err
	}
	if charge && len(results) > 0 && !slices.ContainsFunc(results, func(r Result) bool { return r.Cost > 0 }) {
		return nil, done, fault.New(fault.BadRequest, "say what they cost, or import without charging", "the results are to be charged, and none of them says what it cost")
	}
	known, rows, next := map[string]bool{}, map[string]bool{}, len(r.Trials)+1
	for _, k := range r.Known {
		known[identity(k.Point, k.Value, k.Cost)] = true
		rows[k.Row] = rows[k.Row] || !k.Forgotten
	}
	for _, t := range r.Trials {
		id, row, _ := strings.Cut(t.AskKey, ofRow)
		known[id], rows[row] = true, true
		if t.State == study.Done { // an export of this very study
			known[identity(t.Point, t.Value, t.Charged)] = true
		}
	}
	for _, result := range results {
		point, err := b.advisor.Space().Encode(result.Setting)
		if err != nil {
			return nil, done, err
		}
		id := identity(point, result.Value, result.Cost)
		reread := !known[id] && result.Row != "" && rows[result.Row]
		if reread {
			done.Reread++
		}
		if reread || known[id] {
			done.Known++
			continue
		}
		known[id], rows[result.Row] = true, true
		done.Added++
		if !charge || result.Cost == 0 {
			events = append(events, study.Event{Kind: study.EventKnown, Known: &study.Known{Setting: result.Setting, Point: point, Value: result.Value, Cost: result.Cost, Look: b.study.IsLook(result.Setting), Row: result.Row}})
			continue
		}
		done.Charged += result.Cost
		events = append(events, asTrial(next, id, point, result, b.study.IsLook(result.Setting))...)
		next++
	}
	if left := r.Ledger.Left(); done.Charged > left {
		return nil, done, fault.New(fault.BadRequest, "add to the budget first (eke budget add AMOUNT), or import without charging", "the results cost %s, and %s is left", say.Amount(b.study.Cost, done.Charged), say.Amount(b.study.Cost, left))
	}
	return events, done, nil
}

// ofRow stands between a result's identity and its row, in the key of a trial that was run elsewhere.
const ofRow = " row "

// asTrial is the life of a trial that was run elsewhere.
func asTrial(number int, key string, point []float64, result Result, look bool) []study.Event {
	if result.Row != "" {
		key += ofRow + result.Row
	}
	return []study.Event{
		{Kind: study.EventAsked, Trial: number, Runner: importer, Key: key, Asked: &study.Asked{Setting: result.Setting, Point: point, Reserved: result.Cost, Look: look}},
		{Kind: study.EventFinished, Trial: number, Key: key, Finished: &study.Finished{State: study.Done, Value: result.Value, Charged: result.Cost, Note: "imported"}},
	}
}

// identity is the same for equal results, and for no others.
func identity(point []float64, value, cost float64) string {
	var text []byte
	for _, x := range slices.Concat(point, []float64{value, cost}) {
		text = append(strconv.AppendFloat(text, x, 'x', -1, 64), ' ')
	}
	sum := sha256.Sum256(text)
	return fmt.Sprintf("%s %s", importer, hex.EncodeToString(sum[:12]))
}
