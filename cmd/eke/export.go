package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/insight"
	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/report"
	"github.com/eke-bo/eke/internal/results"
	"github.com/eke-bo/eke/study"
)

func exportCommand(a *app) *cobra.Command {
	var format, file string
	var history bool
	cmd := a.ofStudy(known, &cobra.Command{
		Use:   "export [STUDY]",
		Short: "Write a study's trials as CSV or JSON",
		Long: `Write a study's trials to stdout, or to a file.

CSV has one row for each trial and one column for each parameter (RFC 4180). The field of a parameter that did not
exist is empty. The last two columns mark looks and trials that were forgotten. JSON has the study, its ledger and its trials. With --history it also has every event in the log.`,
		Example: `  eke export --format csv -o trials.csv
  eke export kiln --format json --history | jq .history`,
		SuggestFor: []string{"dump", "csv"},
		PreRunE: func(cmd *cobra.Command, _ []string) error {
			if a.json && !cmd.Flags().Changed("format") {
				format = "json"
			}
			switch {
			case format != "csv" && format != "json":
				return usage("give one of csv, json", "--format is %q", format)
			case history && format != "json":
				return usage("give --format json", "--history needs the format json")
			}
			return nil
		},
	}, func(ctx context.Context, d *broker.Broker, _ *study.Record) error {
		e, err := a.export(ctx, d.Study(), history)
		if err != nil {
			return err
		}
		return a.into(file, func(w io.Writer) error {
			if format == "csv" {
				return results.WriteCSV(w, e.Study, e.trials)
			}
			return writeJSON(w, e)
		})
	})
	cmd.Flags().StringVar(&format, "format", "csv", "csv or json")
	cmd.Flags().StringVarP(&file, "output", "o", "-", "the `file` to write; - means stdout")
	cmd.Flags().BoolVar(&history, "history", false, "include all events (json only)")
	return cmd
}

// export is a study with its trials.
type export struct {
	Study   *study.Study  `json:"study"`
	Created time.Time     `json:"created"`
	Ledger  study.Ledger  `json:"ledger"`
	Trials  []shownTrial  `json:"trials"`
	Known   []study.Known `json:"known,omitempty"` // results from elsewhere
	History []study.Event `json:"history,omitempty"`

	trials []study.Trial
}

// shownTrial is a trial whose value is null if it has none.
type shownTrial struct {
	study.Trial
	Value *float64 `json:"value"`
}

// export reads everything at once, since another process may be at work.
func (a *app) export(ctx context.Context, s *study.Study, history bool) (export, error) {
	header, events, err := a.opened.Read(ctx, s.Name, 0)
	if err != nil {
		return export{}, err
	}
	record := study.NewRecord(header.Total, header.Measured)
	limits, err := study.LimitsOf(header.Definition)
	if err != nil {
		return export{}, err
	}
	record.Judge(limits)
	for _, event := range events {
		if err := record.Apply(event); err != nil {
			return export{}, err
		}
	}
	e := export{Study: s, Created: header.Created, Ledger: record.Ledger, Trials: shownTrials(record.Trials), Known: record.Known, trials: record.Trials}
	if history {
		e.History = events
	}
	return e, nil
}

func shownTrials(list []study.Trial) []shownTrial {
	out := make([]shownTrial, len(list))
	for i, t := range list {
		out[i] = shown(t)
	}
	return out
}

func shown(t study.Trial) shownTrial { return shownTrial{t, t.Result()} }

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
	if len(data.Study.Changeover) > 0 {
		changes := d.Advisor().Changes(r)
		data.Changes = &changes
	}
	best, ok, err := d.Best(ctx, r)
	if err != nil {
		return err
	}
	if ok {
		data.Best = &best
	}
	if data.Study.Several() {
		front, err := d.Front(ctx, r)
		if err != nil {
			return err
		}
		data.Front = &front
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

// into writes a file, or to stdout if it is called -.
func (a *app) into(file string, write func(io.Writer) error) error {
	if file == "" || file == "-" {
		return write(a.out)
	}
	return intoFile(file, write)
}

// intoFile writes a file as a whole or not at all. Something other than a file, such as /dev/stdout, is written to, not replaced.
func intoFile(file string, write func(io.Writer) error) error {
	path, how := file, os.O_WRONLY
	if real, err := filepath.EvalSymlinks(file); err == nil {
		path = real
	}
	temp := path
	if info, err := os.Stat(path); err != nil || info.Mode().IsRegular() {
		temp, how = filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%d", filepath.Base(path), os.Getpid())), os.O_WRONLY|os.O_CREATE|os.O_TRUNC
	}
	f, err := os.OpenFile(temp, how, 0o666)
	if err != nil {
		return wrong("give a file in a folder that you may write to", "%s cannot be written: %v", file, cause(err))
	}
	err = errors.Join(write(f), f.Close())
	if err == nil && temp != path {
		err = os.Rename(temp, path)
	}
	if err != nil {
		if temp != path {
			_ = os.Remove(temp) // leave nothing half written behind
		}
		return wrong("", "%s cannot be written: %v", file, cause(err))
	}
	return nil
}
