package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/study"
)

// ofStudy completes a verb whose only argument is a study. do gets that study and its record.
func (a *app) ofStudy(m mode, cmd *cobra.Command, do func(context.Context, *broker.Broker, *study.Record) error) *cobra.Command {
	cmd.Args, cmd.ValidArgsFunction = atMost(1), a.completeStudies
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.withStudy(cmd.Context(), first(args), m, do)
	}
	return cmd
}

// withStudy finds the study that an argument means, and passes it on with its record.
func (a *app) withStudy(ctx context.Context, arg string, m mode, do func(context.Context, *broker.Broker, *study.Record) error) error {
	d, err := a.study(ctx, arg, m)
	if err != nil {
		return err
	}
	record, err := d.Record(ctx)
	if err != nil {
		return err
	}
	return do(ctx, d, record)
}

// family completes a command that does nothing but hold verbs.
func family(cmd *cobra.Command, verbs ...*cobra.Command) *cobra.Command {
	cmd.Args = noVerb
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	cmd.SuggestionsMinimumDistance = 2
	cmd.AddCommand(verbs...)
	return cmd
}

// atMost allows up to n arguments.
func atMost(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > n {
			return usage("write: "+cmd.UseLine(), "%q is one argument too many for %s", args[n], cmd.CommandPath())
		}
		return nil
	}
}

// from1To allows up to n arguments, of which one is necessary.
func from1To(n int, hint, missing string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usage(hint, "%s", missing)
		}
		return atMost(n)(cmd, args)
	}
}

// first returns the first argument, or an empty text.
func first(args []string) string {
	if len(args) > 0 {
		return args[0]
	}
	return ""
}

// studyAnd splits the arguments [STUDY] X.
func studyAnd(args []string) (study, x string) {
	if len(args) == 1 {
		return "", args[0]
	}
	return args[0], args[1]
}
