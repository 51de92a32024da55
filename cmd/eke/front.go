package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/results"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/internal/view"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

func frontCommand(a *app) *cobra.Command {
	var format, file string
	cmd := a.ofStudy(known, &cobra.Command{
		Use:   "front [STUDY]",
		Short: "Show the front of a study with several objectives",
		Long: `Show the front: the results that no other result dominates, ordered by the first objective, and a chart of them. A result
dominates another if it is at least as good in every objective, and better in one.

The hypervolume is the volume between the front and the worst that counts. The worst comes from the study file, or is found from the first
results. A result beyond a worst that the study file gives is not on the front; a worst that was found leaves no result out. Where evaluations
have noise, the front consists of the values that the models expect at the tried settings; the observed values are listed beside it.

To pick one of these results, use eke best --prefer.`,
		Example: `  eke front
  eke front kiln --format csv -o front.csv
  eke --json front kiln`,
		SuggestFor: []string{"pareto"},
		PreRunE: func(*cobra.Command, []string) error {
			if format != "text" && format != "csv" {
				return usage("give one of text, csv; or --json", "--format is %q", format)
			}
			return nil
		},
	}, func(ctx context.Context, d *broker.Broker, r *study.Record) error {
		s := d.Study()
		if !s.Several() {
			return wrong("see the best setting: eke best "+a.called(s), "study %s has one objective, %s, and so no front", s.Name, s.Objective.Name)
		}
		f, err := d.Front(ctx, r)
		if err != nil {
			return err
		}
		if format == "csv" && !a.json {
			return a.into(file, func(w io.Writer) error { return writeFront(w, s, f) })
		}
		shown := shownFront(s, f)
		if shown.Rest, err = restOf(ctx, d, r, 0); err != nil {
			return err
		}
		return a.show(shown, func() {
			a.printFront(s, r, f)
			if len(f.Trials) > 0 {
				a.printf("\n")
				view.Front(a.out, s, r, f, shown.Rest, terminalWidth(), onTerminal() && os.Getenv("NO_COLOR") == "")
			}
			a.printRest(s, shown.Rest)
		})
	})
	cmd.Flags().StringVar(&format, "format", "text", "text or csv")
	cmd.Flags().StringVarP(&file, "output", "o", "-", "the `file` to write as CSV; - means stdout")
	return cmd
}

// front is the front as JSON.
type front struct {
	Objectives  []study.Aim  `json:"objectives"`
	Worst       []float64    `json:"worst"`            // the worst that counts, in the order of the objectives
	From        int          `json:"from,omitempty"`   // how many results the worst was found from; 0: the study file gives all of it
	Hypervolume float64      `json:"hypervolume"`      // between the front and the worst
	Front       []frontTrial `json:"front"`            // ordered by the first objective, the best first
	Beyond      []frontTrial `json:"beyond,omitempty"` // results that would be on the front, if they were better than the worst of the study file
	Rest        *study.Rest  `json:"rest,omitempty"`   // what the rest of the money is expected to add, and where the front may be then
}

type frontTrial struct {
	Number     int                  `json:"number"`
	Known      bool                 `json:"known,omitempty"` // a result from elsewhere, without a number
	Setting    space.Setting        `json:"setting"`
	Objectives map[string]float64   `json:"objectives"`         // what the trial reported
	Expected   map[string]float64   `json:"expected,omitempty"` // with noise: what the models expect of the setting, by which it is on the front
	Seen       map[string][]float64 `json:"seen,omitempty"`     // with noise: all that was seen at the setting, the oldest first
	Cost       float64              `json:"cost"`
}

func shownFront(s *study.Study, f advisor.Front) front {
	out := front{Objectives: s.Objectives, Worst: f.Worst, From: f.From, Hypervolume: f.Hypervolume, Front: []frontTrial{}}
	for i := range f.Trials {
		out.Front = append(out.Front, frontTrialOf(s, f, i))
	}
	for i, t := range f.Beyond {
		beyond := advisor.Front{Trials: []study.Trial{t}, Outcomes: f.Passed[i : i+1], Expected: f.Expected}
		out.Beyond = append(out.Beyond, frontTrialOf(s, beyond, 0))
	}
	return out
}

// frontTrialOf is the result at a place of the front.
func frontTrialOf(s *study.Study, f advisor.Front, place int) frontTrial {
	t := f.Trials[place]
	out := frontTrial{Number: t.Number, Known: t.Known, Setting: t.Setting, Objectives: map[string]float64{}, Cost: t.Charged}
	y, _ := s.Outcome(t)
	for j, o := range s.Objectives {
		out.Objectives[o.Name] = y[j]
		if f.Expected {
			out.Expected = with(out.Expected, o.Name, f.Outcomes[place][j])
		}
		if place < len(f.Seen) {
			for _, y := range f.Seen[place] {
				out.Seen = with(out.Seen, o.Name, append(out.Seen[o.Name], y[j]))
			}
		}
	}
	return out
}

// with sets an entry of a map, which may be nil.
func with[V any](m map[string]V, name string, v V) map[string]V {
	if m == nil {
		m = map[string]V{}
	}
	m[name] = v
	return m
}

func (a *app) printFront(s *study.Study, r *study.Record, f advisor.Front) {
	if len(f.Trials) == 0 {
		a.printf("nothing is on the front yet\n")
		if none := say.NoneFeasible(s, r); none != "" {
			a.printf("%s\n", none)
		} else if f.Worst != nil {
			a.printf("what counts is better than %s\n", say.Worst(s, f.Worst, f.From))
		}
		a.printBeyond(s, f)
		return
	}
	head := []string{"trial"}
	for _, o := range s.Objectives {
		if head = append(head, o.Name); f.Expected {
			head = append(head, "seen")
		}
	}
	rows, rounded := [][]string{append(head, "cost", "setting")}, false
	digits := make([]int, len(s.Objectives))
	for j := range digits {
		var values []float64
		for _, y := range f.Outcomes {
			values = append(values, y[j])
		}
		digits[j] = say.DigitsApart(values)
	}
	for i, t := range f.Trials {
		row := []string{frontNumber(t)}
		for j, v := range f.Outcomes[i] {
			if row = append(row, say.Digits(v, digits[j])); f.Expected {
				row = append(row, say.SeenOf(f.Seen[i], j))
			}
		}
		rows = append(rows, append(row, say.CostOf(s.Cost, t), say.Setting(s, t.Setting)))
		for _, v := range t.Setting {
			rounded = rounded || say.Value(v) != say.ExactValue(v)
		}
	}
	a.table("", rows)
	if rounded {
		a.printf("settings are rounded; eke front --format csv has them exactly\n")
	}
	a.printf("hypervolume %s, beyond %s\n", say.Number(f.Hypervolume), say.Worst(s, f.Worst, f.From))
	if f.Expected {
		a.printf("the front is that of what the models expect of the settings; what was seen there is beside it\n")
	}
	a.printBeyond(s, f)
}

func (a *app) printBeyond(s *study.Study, f advisor.Front) {
	if text := f.Notes(s); text != "" {
		a.printf("%s\n", text)
	}
}

// frontNumber is the number of a result on the front; a result from elsewhere has none.
func frontNumber(t study.Trial) string {
	if t.Known {
		return "known"
	}
	return strconv.Itoa(t.Number)
}

// writeFront writes the front as CSV, a row for each result: what it reported and, with noise, what the models expect of its setting.
func writeFront(w io.Writer, s *study.Study, f advisor.Front) error {
	exact := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	out := csv.NewWriter(w)
	out.UseCRLF = true
	_ = out.Write(results.FrontColumns(s, f.Expected)) // Error has the first error
	for i, t := range f.Trials {
		row := []string{frontNumber(t)}
		y, _ := s.Outcome(t)
		for _, v := range y {
			row = append(row, exact(v))
		}
		row = append(row, exact(t.Charged))
		if f.Expected {
			for _, v := range f.Outcomes[i] {
				row = append(row, exact(v))
			}
		}
		for _, p := range s.Inputs() {
			row = append(row, t.Setting[p.Name].String())
		}
		_ = out.Write(results.Harmless(row))
	}
	out.Flush()
	return out.Error()
}

// infeasible is the error that there is no best result, since none meets the limits.
func (a *app) infeasible(s *study.Study, none string) error {
	return wrong("see by how much: eke trials "+a.called(s)+"; or change limits in the study file", "study %s: %s", s.Name, none)
}

// bestOfFront lists the front, or picks the result on it that is preferred.
func (a *app) bestOfFront(ctx context.Context, d *broker.Broker, r *study.Record, prefer string) error {
	s := d.Study()
	f, err := d.Front(ctx, r)
	if err != nil {
		return err
	}
	if none := say.NoneFeasible(s, r); len(f.Trials) == 0 && none != "" {
		return a.infeasible(s, none)
	}
	if len(f.Trials) == 0 {
		hint := "see how it stands: eke status " + a.called(s)
		if f.Worst != nil {
			hint = "what counts is better than " + say.Worst(s, f.Worst, f.From) + "; change worst in the study file, or go on"
		}
		return wrong(hint, "study %s has nothing on its front yet, after %s", s.Name, say.Count(len(r.Trials), "trial"))
	}
	if prefer == "" {
		return a.show(shownFront(s, f), func() {
			a.printFront(s, r, f)
			if text := advisor.LimitsMet(s, r, f.Otherwise); text != "" {
				a.printf("limits: %s\n", text)
			}
			a.printf("to pick one: eke best %s --prefer %s\n", a.called(s), s.ExampleWeights())
		})
	}
	preference, err := s.ParsePreference(prefer)
	if err != nil {
		return usage(fault.HintOf(err), "--prefer: %v", err)
	}
	place, ok := s.Prefer(f.Outcomes, preference)
	if !ok {
		return wrong("the front has "+say.FrontRanges(s, f.Outcomes)+"; relax a limit, or go on", "none of the %s on the front of study %s %s %s",
			say.Count(len(f.Trials), "result"), s.Name, map[bool]string{true: "is expected to have", false: "has"}[f.Expected], say.Within(preference.Within))
	}
	best := f.Trials[place]
	return a.show(frontTrialOf(s, f, place), func() {
		a.printf("%s%s, %s\n", f.Words(s, place), say.For(s.Cost, best), best.Title())
		if f.Expected {
			a.printf("  %s\n", say.SeenOutcomes(s, f.Seen[place]))
		}
		a.printDetails(s, best)
		a.printf("preferred of %s on the front: %s\n", say.Count(len(f.Trials), "result"), fmt.Sprint(prefer))
	})
}
