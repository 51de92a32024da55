// Command eke-bench measures eke: its maximiser on states of the reference, its speed, and its
// method against others.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := rootCommand().ExecuteContext(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "eke-bench: error:", err)
		os.Exit(1)
	}
}

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "eke-bench",
		Short:         "Measure eke: its numbers, its speed, and the method against others",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(maximiseCommand(), speedCommand(), scaleCommand(), paperCommand(), suiteCommand(), anytimeCommand(), changesCommand(), restCommand(), frontCommand(), transferCommand(), dataCommand())
	return root
}
