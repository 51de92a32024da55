package main

import "github.com/spf13/cobra"

// Exit codes. They are promised: scripts depend on them.
const (
	exitFine        = 0
	exitWrong       = 1
	exitUsage       = 2
	exitSpent       = 3
	exitPending     = 4
	exitNotFound    = 5
	exitInterrupted = 130
)

func exitCodesTopic() *cobra.Command {
	return &cobra.Command{
		Use:   "exit-codes",
		Short: "What exit codes mean",
		Long: `Exit codes of eke. They do not change from one version to the next.

  0    fine
  1    something went wrong: stderr says what, and what to do about it
  2    wrong usage, or a wrong study file
  3    over: the budget is spent, or nothing affordable is worth trying, or every setting has been
       tried, or the deadline has passed
  4    not now: what is left is reserved by trials under way
  5    there is no such study or trial
  130  interrupted

With --json, stderr has {"error": …, "hint": …, "code": …}, and of a study file with several mistakes
also the list of all, "problems".`,
	}
}
