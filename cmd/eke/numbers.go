package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/say"
	"github.com/eke-bo/eke/study"
)

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
			return do(ctx, d, r, numbers)
		})
	}
	return cmd
}

// studyAndNumbers splits the arguments [STUDY] NUMBER…. A number may be a range such as 3-7.
func studyAndNumbers(cmd *cobra.Command, args []string) (study string, numbers []int, err error) {
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
	if len(numbers) == 0 {
		return "", nil, usage("write: "+cmd.UseLine()+"; eke trials lists them", "the trial's number is missing")
	}
	return study, numbers, nil
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
