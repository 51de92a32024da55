package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/internal/fault"
)

func exitCodesTopic() *cobra.Command {
	var table strings.Builder
	for _, exit := range fault.Exits() {
		fmt.Fprintf(&table, "  %-4d %s\n", exit.Code, exit.Meaning)
	}
	return &cobra.Command{
		Use:   "exit-codes",
		Short: "What the exit codes mean",
		Long: "The exit codes of eke. They stay the same from one version to the next.\n\n" + table.String() + `
With --json, stderr has {"error": …, "hint": …, "code": …}. If a study file has several mistakes, "problems" lists them all.`,
	}
}
