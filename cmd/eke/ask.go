package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// byHand is the runner of trials that a person asks for. Runs leave these alone.
const byHand = "hand"

func askCommand(a *app) *cobra.Command {
	n, stop := 1, ""
	cmd := a.ofStudy(joins, &cobra.Command{
		Use:   "ask [STUDY]",
		Short: "Get a setting to try by hand, and reserve money for it",
		Long: `Get the next setting to try, and reserve money for it. Try it yourself, and report the result with eke tell.

If you give a study file and its study is not in the store yet, eke ask begins it.`,
		Example: `  eke ask study.yaml
  eke tell 1 --value 0.81 --cost 3.5`,
		SuggestFor: []string{"suggest", "next"},
		PreRunE:    func(*cobra.Command, []string) error { return atLeast1("--n", n) },
	}, func(ctx context.Context, d *broker.Broker, _ *study.Record) (err error) {
		if d, err = restart(ctx, d, stop); err != nil {
			return err
		}
		return a.ask(ctx, d, n)
	})
	cmd.Flags().StringVar(&stop, "stop", "", stopFlag)
	cmd.Flags().IntVar(&n, "n", 1, "how many trials to ask for")
	return cmd
}

func (a *app) ask(ctx context.Context, d *broker.Broker, n int) (err error) {
	list := []study.Trial{}
	for len(list) < n && err == nil {
		var t study.Trial
		if t, err = askOne(ctx, d); err != nil {
			break
		}
		if list = append(list, t); !a.json {
			a.printAsked(d.Study(), t) // at once: its money is reserved, even if the next one fails
		}
	}
	if a.json && len(list) > 0 {
		if e := a.printJSON(list); e != nil {
			return e
		}
	}
	if err != nil && len(list) > 0 {
		return fmt.Errorf("only %d of %d trials can be had: %w", len(list), n, err)
	}
	return err
}

func askOne(ctx context.Context, d *broker.Broker) (study.Trial, error) {
	record, err := d.Record(ctx)
	if err != nil {
		return study.Trial{}, err
	}
	if err := pastDeadline(d.Study(), record, time.Now()); err != nil {
		return study.Trial{}, err
	}
	return d.Ask(ctx, byHand)
}

func (a *app) printAsked(s *study.Study, t study.Trial) {
	a.printf("trial %d\n", t.Number)
	rows := [][]string{{"setting", say.ExactSetting(s, t.Setting)}, {"reserved", say.Amount(s.Cost, t.Reserved)}, {"why", reason(s, t.Why)}}
	if line, _ := commandLine(s, t.Setting); line != "" {
		rows = append(rows, []string{"command", line})
	}
	a.table("  ", append(rows, []string{"then", fmt.Sprintf("eke tell %s %d --value VALUE --cost COST", s.Name, t.Number)}))
}

// reason is why a trial was chosen, on one line.
func reason(s *study.Study, raw json.RawMessage) string {
	why, ok := advisor.WhyOf(raw)
	if !ok {
		return "not known"
	}
	text := say.Chosen(why.Policy, why.Picked)
	if why.Earlier != "" {
		text += "; " + why.Earlier
	}
	if e := why.Expected; e != nil {
		text += "; " + say.Expected(s.Objective.Name, s.Cost, *e)
	}
	return text
}

// pastDeadline returns an error if the deadline has passed.
func pastDeadline(s *study.Study, r *study.Record, now time.Time) error {
	if !s.Overdue(r, now) {
		return nil
	}
	return fault.New(fault.Deadline, "", "the deadline has passed: %s after the first trial, on %s", say.Duration(s.Budget.Deadline.Seconds()), onClock(s.Due(r)))
}

// commandLine is the study's command for a setting, with words for what only a run knows. It is empty if there is no command.
func commandLine(s *study.Study, setting space.Setting) (string, []string) {
	argv, err := s.Argv(setting, map[string]string{"trial": "TRIAL", "params": "PARAMS", "result": "RESULT", "dir": "DIR"})
	if err != nil {
		return "", nil
	}
	return say.Command(argv), argv
}
