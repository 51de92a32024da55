package main

import (
	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/internal/engine"
	"github.com/eke-bo/eke/internal/engine/local"
	"github.com/eke-bo/eke/internal/engine/slurm"
	"github.com/eke-bo/eke/study"
)

// jobCommand is what a job of Slurm calls. Nobody else does.
func jobCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "job FOLDER",
		Short:  "Run the trial of a job",
		Long:   "Run the trial of a job. The jobs that eke run submits to Slurm call this verb.",
		Hidden: true,
		Args:   from1To(1, "write: eke job FOLDER", "the folder of the job is missing"),
		RunE:   func(cmd *cobra.Command, args []string) error { return slurm.Work(cmd.Context(), args[0]) },
	}
}

// engines are those that a study file may name.
var engines = map[string]func(*study.Study) engine.Engine{
	"slurm": func(s *study.Study) engine.Engine { return slurm.New(s) },
}

// engineOf is where a study's trials are evaluated.
func engineOf(s *study.Study) engine.Engine {
	if s == nil || s.Engine == nil || engines[s.Engine.Type] == nil {
		return &local.Engine{}
	}
	return engines[s.Engine.Type](s)
}
