package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/advisor"
	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/runner"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

func forgetCommand(a *app) *cobra.Command {
	var undo, results bool
	var note string
	cmd := a.ofTrials(&cobra.Command{
		Use:   "forget [STUDY] TRIAL…",
		Short: "Have trials ignored, such as those of a broken machine",
		Long: `Have trials ignored: the models do not learn from them, and none of them is the best. What they cost stays spent, and they
stay in the history. --undo makes them count again.

With --known the numbers are those of imported results: 1 is the first one.`,
		Example: `  eke forget 12
  eke forget kiln 3 5-9
  eke forget kiln 4 --note 'the shelf cracked'
  eke forget kiln 3 --undo`,
		SuggestFor: []string{"ignore", "discard", "remove"},
	}, hasEnded, func(ctx context.Context, d *broker.Broker, _ *study.Record, numbers []int) error {
		return a.forget(ctx, d, numbers, !undo, results, note)
	})
	cmd.Flags().BoolVar(&undo, "undo", false, "let them count again")
	cmd.Flags().BoolVar(&results, "known", false, "the numbers are those of imported results")
	cmd.Flags().StringVar(&note, "note", "", "why they are ignored, or count again")
	return cmd
}

func (a *app) forget(ctx context.Context, d *broker.Broker, numbers []int, forget, results bool, note string) error {
	order := a.orders(d)
	forgets, what, changed := order.Forget, these(numbers), numbers
	if results {
		changed = nil
		forgets, what = order.ForgetKnown, "imported results: "+say.Count(len(numbers), "result")
	}
	if err := forgets(ctx, forget, note, numbers...); err != nil {
		return err
	}
	r, now, err := afterwards(ctx, d, changed...)
	if err != nil {
		return err
	}
	told := struct {
		Study     string       `json:"study"`
		Forgotten bool         `json:"forgotten"`
		Trials    []shownTrial `json:"trials,omitempty"`
		Known     []int        `json:"known,omitempty"`
	}{Study: d.Study().Name, Forgotten: forget}
	if results {
		told.Known = numbers
	} else {
		told.Trials = shownTrials(picked(r, numbers))
	}
	return a.show(told, func() {
		if forget {
			a.printf("%s: forgotten; the money stays spent\n", what)
		} else {
			a.printf("%s: counted again\n", what)
		}
		a.printf("%s\n", now)
	})
}

// afterwards returns the record after a change, and says which result in it is the best; with several objectives, what the change of these trials did to the front.
func afterwards(ctx context.Context, d *broker.Broker, changed ...int) (r *study.Record, now string, err error) {
	if r, err = d.Record(ctx); err != nil {
		return nil, "", err
	}
	if d.Study().Several() {
		f, err := d.Front(ctx, r)
		return r, frontNow(r, f, changed...), err
	}
	best, ok, err := d.Best(ctx, r)
	return r, bestNow(d.Study(), best, ok), err
}

// bestNow says which result is the best now.
func bestNow(s *study.Study, best advisor.Best, ok bool) string {
	if !ok {
		return "no result counts"
	}
	return fmt.Sprintf("the best is %s: %s %s", best.Title(), s.Objective.Name, best.Text())
}

// frontNow says how large the front is now, and which of the trials that were changed are on it.
func frontNow(r *study.Record, f advisor.Front, changed ...int) string {
	count := say.Count(len(f.Trials), "result")
	on := slices.DeleteFunc(slices.Clone(changed), func(n int) bool { return !f.Has(r.Trials[n-1]) })
	switch {
	case len(f.Trials) == 0:
		return "nothing is on the front"
	case len(on) == 0:
		return "the front has " + count
	case len(on) == 1:
		return these(on) + " is on the front, of " + count
	}
	return these(on) + " are on the front, of " + count
}

func retryCommand(a *app) *cobra.Command {
	return a.ofTrials(&cobra.Command{
		Use:   "retry [STUDY] TRIAL…",
		Short: "Have the settings of trials tried again",
		Long: `Have the settings of trials tried again, before anything else, as soon as the budget allows. Each becomes a new trial.

A trial that ended without a value counts no more: the new one takes its place. One that is done still counts; if its value is
wrong, use eke forget or eke correct.`,
		Example: `  eke retry 7
  eke retry kiln 7 9`,
		SuggestFor: []string{"rerun", "repeat", "again"},
	}, hasEnded, func(ctx context.Context, d *broker.Broker, _ *study.Record, numbers []int) error {
		items, err := a.orders(d).Retry(ctx, numbers...)
		if err != nil {
			return err
		}
		return a.show(items, func() {
			a.printf("%s: to be tried again, next\n", these(numbers))
		})
	})
}

func stopCommand(a *app) *cobra.Command {
	return a.ofTrials(&cobra.Command{
		Use:   "stop [STUDY] TRIAL…",
		Short: "Stop running trials",
		Long: `Stop running trials. They are charged for what they have used, end as cut, and are not tried again. A trial that has not begun ends
at once and costs nothing.

eke run and eke worker hear of it within about two seconds. A Python program that is connected to a server hears of it with its next heartbeat,
after a quarter of the lease at the latest: 15 seconds unless eke serve --lease says otherwise.

To stop a run rather than a trial, press Ctrl-C there; to keep all runs from starting trials, use eke pause.`,
		Example: `  eke stop 12
  eke stop kiln 12 13`,
		SuggestFor: []string{"cancel", "kill", "abort"},
	}, func(t study.Trial) bool { return t.State.Open() }, func(ctx context.Context, d *broker.Broker, _ *study.Record, numbers []int) error {
		for _, n := range numbers {
			if err := a.orders(d).Stop(ctx, n); err != nil {
				return err
			}
		}
		r, err := d.Record(ctx)
		if err != nil {
			return err
		}
		list := picked(r, numbers)
		silent, err := a.silence(ctx, d)
		if err != nil {
			return err
		}
		return a.show(shownTrials(list), func() {
			for _, t := range list {
				if t.State.Open() && silent[t.Number] > 0 {
					a.printf("trial %d is told to stop, but nobody watches it any more: nothing was heard of it for %s. The next eke run or server of this store ends it; if there will be none: eke tell %s %d --abandon --force\n",
						t.Number, say.Duration(silent[t.Number].Seconds()), d.Study().Name, t.Number)
				} else if t.State.Open() {
					a.printf("trial %d is told to stop\n", t.Number)
				} else {
					a.printf("trial %d %s\n", t.Number, t.State.Predicate())
				}
			}
		})
	})
}

// A run shows every second that its trials are alive, and a worker three times in a lease, which is a minute unless somebody wants another.
const silentRun, silentWorker = 10 * time.Second, time.Minute

// silence returns for how long nothing was heard of the open trials of a store that nobody watches any more. A server sees to that itself.
func (a *app) silence(ctx context.Context, d *broker.Broker) (map[int]time.Duration, error) {
	if a.at.server != "" {
		return nil, nil
	}
	list, err := d.Strays(ctx, "")
	silent := map[int]time.Duration{}
	for _, t := range list {
		least := silentWorker
		if strings.HasPrefix(t.Runner, runner.Prefix) {
			least = silentRun
		}
		if since := time.Since(t.Seen); since > least {
			silent[t.Number] = since
		}
	}
	return silent, err
}

// ofTrials completes a verb with the arguments [STUDY] TRIAL…. do gets the study, its record and the numbers. which says which trials
// to offer to the shell.
func (a *app) ofTrials(cmd *cobra.Command, which func(study.Trial) bool, do func(context.Context, *broker.Broker, *study.Record, []int) error) *cobra.Command {
	cmd.ValidArgsFunction = a.completeTrialsThat(which)
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		_, _, err := studyAndNumbers(cmd, args)
		return err
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		arg, numbers, err := studyAndNumbers(cmd, args)
		if err != nil {
			return err
		}
		return a.withStudy(cmd.Context(), arg, known, func(ctx context.Context, d *broker.Broker, r *study.Record) error {
			if arg == "" && len(args) > 1 {
				if err := a.isNoStudy(cmd, d.Study().Name, args); err != nil {
					return err
				}
			}
			return do(ctx, d, r, numbers)
		})
	}
	return a.onServers(cmd)
}

// studyAndNumbers splits the arguments [STUDY] NUMBER…. A number may be a range such as 3-7.
func studyAndNumbers(cmd *cobra.Command, args []string) (study string, numbers []int, err error) {
	study, numbers, err = studyAndAnyNumbers(cmd, args)
	if err == nil && len(numbers) == 0 {
		err = usage("write: "+cmd.UseLine()+"; eke trials lists them", "the trial's number is missing")
	}
	return study, numbers, err
}

// studyAndAnyNumbers is studyAndNumbers where there need be no number.
func studyAndAnyNumbers(cmd *cobra.Command, args []string) (study string, numbers []int, err error) {
	if len(args) > 0 {
		if _, err := numbersOf(args[0]); err != nil {
			study, args = args[0], args[1:]
		}
	}
	for _, arg := range args {
		list, err := numbersOf(arg)
		if err != nil {
			return "", nil, usage("write: "+cmd.UseLine(), "%q is not the number of a trial", arg)
		}
		numbers = append(numbers, list...)
	}
	return study, numbers, nil
}

// isNoStudy refuses arguments that are all numbers of trials of a study, if the first is the name of a study, too.
func (a *app) isNoStudy(cmd *cobra.Command, of string, args []string) error {
	names, err := a.names(cmd.Context())
	if err != nil || !slices.Contains(names, args[0]) {
		return err
	}
	hint := fmt.Sprintf("for study %s, give the path of its study file, or another name: eke study rename %s NAME", args[0], args[0])
	if of != args[0] {
		hint = fmt.Sprintf("for trials of study %s: %s %s %s; %s", of, cmd.CommandPath(), of, strings.Join(args, " "), hint)
	}
	return usage(hint, "%s is the number of a trial, and also the name of a study", args[0])
}

// longestRange is how many trials a range may name.
const longestRange = 10000

func numbersOf(arg string) (list []int, err error) {
	from, to, isRange := strings.Cut(arg, "-")
	first, err := strconv.Atoi(from)
	last := first
	if isRange && err == nil {
		last, err = strconv.Atoi(to)
	}
	if err != nil || first < 1 || last < first || last-first >= longestRange {
		return nil, fmt.Errorf("%q is neither a number nor a range", arg)
	}
	for n := first; n <= last; n++ {
		list = append(list, n)
	}
	return list, nil
}

// completeTrialsThat offers trials, or names of studies if there is no study yet.
func (a *app) completeTrialsThat(which func(study.Trial) bool) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		var list []string
		arg, _, err := studyAndNumbers(cmd, append(args, "1"))
		if err == nil {
			err = a.withStudy(cmd.Context(), arg, known, func(_ context.Context, d *broker.Broker, r *study.Record) error {
				for _, t := range r.Trials {
					if which(t) {
						list = append(list, fmt.Sprintf("%d\t%s %s", t.Number, t.State, say.ExactSetting(d.Study(), t.Setting)))
					}
				}
				return nil
			})
		}
		if err != nil {
			return a.completeStudies(cmd, args, "")
		}
		return list, cobra.ShellCompDirectiveNoFileComp
	}
}

func hasEnded(t study.Trial) bool { return t.State.Ended() }

// picked returns trials by their numbers, which are there.
func picked(r *study.Record, numbers []int) []study.Trial {
	list := make([]study.Trial, len(numbers))
	for i, n := range numbers {
		list[i] = r.Trials[n-1]
	}
	return list
}

// these names trials in a sentence.
func these(numbers []int) string {
	words := make([]string, len(numbers))
	for i, n := range numbers {
		words[i] = strconv.Itoa(n)
	}
	if len(words) == 1 {
		return "trial " + words[0]
	}
	return "trials " + strings.Join(words, ", ")
}
