package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/insight"
	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/report"
	"github.com/eke-bo/eke/study"
)

func reportCommand(a *app) *cobra.Command {
	var file, pictures string
	cmd := a.ofStudy(known, &cobra.Command{
		Use:   "report [STUDY]",
		Short: "Write a report of a study: one HTML file, and pictures",
		Long: `Write a report of a study as one self-contained HTML file. It shows where the money went and what
the rest is expected to buy, the best setting, how value and cost depend on each parameter, and how good the
forecasts were. With --png, write pictures as well.

It also works while the study is running.`,
		Example: `  eke report
  eke report kiln -o kiln.html --png pictures`,
		SuggestFor: []string{"html", "plot", "draw"},
	}, func(ctx context.Context, d *broker.Broker, r *study.Record) error {
		return a.report(ctx, d, r, file, pictures)
	})
	cmd.Flags().StringVarP(&file, "output", "o", "report.html", "the `file` to write; - means stdout")
	cmd.Flags().StringVar(&pictures, "png", "", "a `folder` for pictures; it is created if necessary")
	return cmd
}

func (a *app) report(ctx context.Context, d *broker.Broker, r *study.Record, file, pictures string) (err error) {
	data := report.Data{Study: d.Study(), Record: r, Created: time.Now(), Version: buildOf().Version}
	best, ok, err := d.Best(ctx, r)
	if err != nil {
		return err
	}
	if ok {
		data.Best = &best
	}
	if data.Insight, err = insight.Of(ctx, d.Advisor(), r); err != nil {
		return err
	}
	if data.Rest, err = restOf(ctx, d, r, 0); err != nil {
		return err
	}
	if err := a.into(file, func(w io.Writer) error { return report.Write(w, data) }); err != nil {
		return err
	}
	written := []string{file}
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
	if file == "-" {
		return nil // stdout is the report
	}
	return a.show(map[string]any{"files": written}, func() {
		for _, path := range written {
			a.printf("wrote %s\n", filepath.Clean(path))
		}
	})
}
