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
		Long: `Show the front: the results that no other result dominates, ordered by the first objective, and a chart of them. One
dominates another if it is at least as good in every objective, and better in one.

The hypervolume is the volume between the front and the worst that counts. The worst comes from the study file, or is found from the first
results. A result beyond a worst that the study file gives is not on the front; a worst that was found leaves no result out. Where evaluations have noise, the front is that of what the models expect of the tried settings.

Of these, eke best --prefer picks one.`,
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
		f, err := d.Advisor().Front(ctx, r)
		if err != nil {
			return err
		}
		if format == "csv" && !a.json {
			return a.into(file, func(w io.Writer) error { return writeFront(w, s, f.Trials) })
		}
		shown := shownFront(s, f)
		if shown.Rest, err = restOf(ctx, d, r, 0); err != nil {
			return err
		}
		return a.show(shown, func() {
			a.printFront(s, f)
			if len(f.Trials) > 0 {
				a.printf("\n")
				view.Front(a.out, s, r, f.Trials, shown.Rest, terminalWidth(), onTerminal() && os.Getenv("NO_COLOR") == "")
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
	From        int          `json:"from,omitempty"`   // how many results the worst was found from, where the study file does not say it; 0: it says it all
	Hypervolume float64      `json:"hypervolume"`      // between the front and the worst
	Front       []frontTrial `json:"front"`            // ordered by the first objective, the best first
	Beyond      []frontTrial `json:"beyond,omitempty"` // results that would be on the front, if they were better than the worst of the study file
	Rest        *study.Rest  `json:"rest,omitempty"`   // what the rest of the money is expected to add, and where the front may be then
}

type frontTrial struct {
	Number     int                `json:"number"`
	Known      bool               `json:"known,omitempty"` // a result from elsewhere, without a number
	Setting    space.Setting      `json:"setting"`
	Objectives map[string]float64 `json:"objectives"`
	Cost       float64            `json:"cost"`
}

func shownFront(s *study.Study, f advisor.Front) front {
	out := front{Objectives: s.Objectives, Worst: f.Worst, From: f.From, Hypervolume: f.Hypervolume, Front: []frontTrial{}}
	for _, t := range f.Trials {
		out.Front = append(out.Front, frontTrialOf(s, t))
	}
	for _, t := range f.Beyond {
		out.Beyond = append(out.Beyond, frontTrialOf(s, t))
	}
	return out
}

func frontTrialOf(s *study.Study, t study.Trial) frontTrial {
	y, _ := s.Outcome(t)
	objectives := map[string]float64{}
	for j, o := range s.Objectives {
		objectives[o.Name] = y[j]
	}
	return frontTrial{t.Number, t.Known, t.Setting, objectives, t.Charged}
}

func (a *app) printFront(s *study.Study, f advisor.Front) {
	if len(f.Trials) == 0 {
		a.printf("nothing is on the front yet\n")
		if f.Worst != nil {
			a.printf("what counts is better than %s\n", say.Worst(s, f.Worst, f.From))
		}
		a.printBeyond(s, f)
		return
	}
	head := []string{"trial"}
	for _, o := range s.Objectives {
		head = append(head, o.Name)
	}
	rows := [][]string{append(head, "cost", "setting")}
	digits := make([]int, len(s.Objectives))
	for j := range digits {
		var values []float64
		for _, t := range f.Trials {
			y, _ := s.Outcome(t)
			values = append(values, y[j])
		}
		digits[j] = say.DigitsApart(values)
	}
	for _, t := range f.Trials {
		row := []string{strconv.Itoa(t.Number)}
		if t.Known {
			row[0] = "known"
		}
		y, _ := s.Outcome(t)
		for j, v := range y {
			row = append(row, say.Digits(v, digits[j]))
		}
		rows = append(rows, append(row, say.Amount(s.Cost, t.Charged), say.Setting(s, t.Setting)))
	}
	a.table("", rows)
	a.printf("hypervolume %s, beyond %s\n", say.Number(f.Hypervolume), say.Worst(s, f.Worst, f.From))
	if f.Expected {
		a.printf("the front is that of what the models expect of the settings; the numbers are those that were seen\n")
	}
	a.printBeyond(s, f)
}

func (a *app) printBeyond(s *study.Study, f advisor.Front) {
	if text := say.BeyondWorst(s, f.Beyond); text != "" {
		a.printf("%s\n", text)
	}
}

// writeFront writes the front as CSV, a row for each result.
func writeFront(w io.Writer, s *study.Study, list []study.Trial) error {
	exact := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	out := csv.NewWriter(w)
	out.UseCRLF = true
	head := []string{"trial"}
	for _, o := range s.Objectives {
		head = append(head, o.Name)
	}
	head = append(head, "cost")
	for _, p := range s.Inputs() {
		head = append(head, p.Name)
	}
	_ = out.Write(head) // Error has the first error
	for _, t := range list {
		row := []string{strconv.Itoa(t.Number)}
		y, _ := s.Outcome(t)
		for _, v := range y {
			row = append(row, exact(v))
		}
		row = append(row, exact(t.Charged))
		for _, p := range s.Inputs() {
			row = append(row, t.Setting[p.Name].String())
		}
		_ = out.Write(study.Harmless(row))
	}
	out.Flush()
	return out.Error()
}

// bestOfFront lists the front, or picks the result on it that is preferred.
func (a *app) bestOfFront(ctx context.Context, d *broker.Broker, r *study.Record, prefer string) error {
	s := d.Study()
	f, err := d.Advisor().Front(ctx, r)
	if err != nil {
		return err
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
			a.printFront(s, f)
			if text := say.LimitsMet(s, r); text != "" {
				a.printf("limits: %s\n", text)
			}
			a.printf("to pick one: eke best %s --prefer %s\n", a.called(s), s.ExampleWeights())
		})
	}
	preference, err := s.ParsePreference(prefer)
	if err != nil {
		return usage(fault.HintOf(err), "--prefer: %v", err)
	}
	best, ok := s.Prefer(f.Trials, preference)
	if !ok {
		return wrong("the front has "+say.FrontRanges(s, f.Trials)+"; relax a limit, or go on", "none of the %s on the front of study %s has %s",
			say.Count(len(f.Trials), "result"), s.Name, say.Within(preference.Within))
	}
	return a.show(frontTrialOf(s, best), func() {
		a.printf("%s for %s, %s\n", say.Outcome(s, best), say.Amount(s.Cost, best.Charged), best.Title())
		a.printDetails(s, best)
		a.printf("preferred of %s on the front: %s\n", say.Count(len(f.Trials), "result"), fmt.Sprint(prefer))
	})
}
