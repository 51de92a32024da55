package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/eke-bo/eke/study"
)

func exportCommand(a *app) *cobra.Command {
	var format, file string
	var history bool
	cmd := &cobra.Command{
		Use:   "export [STUDY]",
		Short: "Write a study's trials as CSV or JSON",
		Long: `Write a study's trials to stdout, or to a file.

csv has one row a trial and one column a parameter (RFC 4180; a parameter that did not exist is empty).
json has the study, its ledger and its trials, and with --history every event that led there.`,
		Example: `  eke export --format csv -o trials.csv
  eke export kiln --format json --history | jq .history`,
		SuggestFor:        []string{"dump", "csv"},
		Args:              atMost(1),
		ValidArgsFunction: a.completeStudies,
		RunE: func(cmd *cobra.Command, args []string) error {
			if a.json && !cmd.Flags().Changed("format") {
				format = "json"
			}
			switch {
			case format != "csv" && format != "json":
				return usage("give one of csv, json", "--format is %q", format)
			case history && format != "json":
				return usage("give --format json", "only json has a --history")
			}
			d, err := a.study(cmd.Context(), argument(args, 0), known)
			if err != nil {
				return err
			}
			// One read for all of it: another process may be at work.
			header, events, err := a.opened.Read(cmd.Context(), d.Study().Name, 0)
			if err != nil {
				return err
			}
			e := export{Study: d.Study(), Created: header.Created, Trials: []study.Trial{}}
			record := study.NewRecord(header.Total, header.Measured)
			for _, event := range events {
				if err := record.Apply(event); err != nil {
					return err
				}
			}
			e.Ledger, e.Trials = record.Ledger, append(e.Trials, record.Trials...)
			if history {
				e.History = events
			}
			write := e.writeJSON
			if format == "csv" {
				write = func(w io.Writer) error { return study.WriteCSV(w, e.Study, e.Trials) }
			}
			if file == "" || file == "-" {
				return write(a.out)
			}
			return intoFile(file, write)
		},
	}
	cmd.Flags().StringVar(&format, "format", "csv", "csv or json")
	cmd.Flags().StringVarP(&file, "output", "o", "", "the `file` to write; stdout if none is given")
	cmd.Flags().BoolVar(&history, "history", false, "with all events (json only)")
	return cmd
}

// export is a study with all that came of it.
type export struct {
	Study   *study.Study  `json:"study"`
	Created time.Time     `json:"created"`
	Ledger  study.Ledger  `json:"ledger"`
	Trials  []study.Trial `json:"trials"`
	History []study.Event `json:"history,omitempty"`
}

func (e export) writeJSON(w io.Writer) error {
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(e)
}

// intoFile writes a file as a whole or not at all. What is no file, such as /dev/stdout, is written to, not replaced.
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
			_ = os.Remove(temp) // what is half written is in nobody's way
		}
		return wrong("", "%s cannot be written: %v", file, cause(err))
	}
	return nil
}
