package main

import (
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/insight"
	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/report"
)

func reportCommand(a *app) *cobra.Command {
	var file, pictures string
	cmd := &cobra.Command{
		Use:   "report [STUDY]",
		Short: "Write a report of a study: one HTML file, and pictures",
		Long: `Write a report of a study as one self-contained HTML file. It shows where the money went, the best setting, how value
and cost depend on each parameter, and how good the forecasts were. With --png, write pictures as well.

It also works while the study is running.`,
		Example: `  eke report
  eke report kiln -o kiln.html --png pictures`,
		SuggestFor:        []string{"html", "plot", "draw"},
		Args:              atMost(1),
		ValidArgsFunction: a.completeStudies,
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := a.study(cmd.Context(), first(args), known)
			if err != nil {
				return err
			}
			return a.report(cmd, d, file, pictures)
		},
	}
	cmd.Flags().StringVarP(&file, "output", "o", "report.html", "the `file` to write; - means stdout")
	cmd.Flags().StringVar(&pictures, "png", "", "a `folder` for pictures; it is created if necessary")
	return cmd
}

func (a *app) report(cmd *cobra.Command, d *broker.Broker, file, pictures string) error {
	record, err := d.Record(cmd.Context())
	if err != nil {
		return err
	}
	data := report.Data{Study: d.Study(), Record: record, Created: time.Now(), Version: buildOf().Version}
	if data.Insight, err = insight.Of(cmd.Context(), d.Advisor(), record); err != nil {
		return err
	}
	write := func(w io.Writer) error { return report.Write(w, data) }
	written := []string{}
	if file == "-" {
		if err := write(a.out); err != nil {
			return err
		}
	} else {
		if err := intoFile(file, write); err != nil {
			return err
		}
		written = append(written, file)
	}
	if pictures != "" {
		if err := os.MkdirAll(pictures, 0o777); err != nil {
			return wrong("give a folder that you may write to", "%s cannot be created: %v", pictures, cause(err))
		}
		paths, err := report.PNGs(pictures, data)
		if err != nil {
			return err
		}
		written = append(written, paths...)
	}
	switch {
	case file == "-": // stdout is the report
	case a.json:
		return a.printJSON(struct {
			Files []string `json:"files"`
		}{written})
	default:
		for _, path := range written {
			a.printf("wrote %s\n", filepath.Clean(path))
		}
	}
	return nil
}
