package server

import (
	"bytes"
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/broker"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/internal/results"
	"github.com/eke-bo/eke/study"
)

func (s *Server) importOperations(h huma.API) {
	const of = "/studies/{study}"
	reply(s, h, operation(http.MethodPost, of+"/results", "import-results", "Add results that were obtained elsewhere", Admin), ofStudy(s, s.importResults))
	reply(s, h, operation(http.MethodPost, of+"/import", "import-file", "Add the results in a file", Admin), ofStudy(s, s.importFile))
}

type importInput struct {
	OfStudy
	Body api.ImportRequest
}

func (s *Server) importResults(ctx context.Context, in *importInput, o *openStudy, _ *study.Record) (out api.Import, err error) {
	out.Refused = []api.Refusal{}
	sp := o.broker.Advisor().Space()
	var list []broker.Result
	for i, r := range in.Body.Results {
		setting := sp.Complete(r.Setting)
		if err := sp.Allows(setting); err != nil {
			out.Refused = append(out.Refused, api.Refusal{Index: i, Problem: fault.Details(err)[0].Message})
			continue
		}
		list = append(list, broker.Result{Setting: setting, Value: r.Value, Cost: r.Cost, Metrics: r.Metrics})
	}
	done, err := o.imports(ctx, list, in.Body.Charge, in.Body.DryRun)
	out.Added, out.Known, out.Charged = done.Added, done.Known, done.Charged
	return out, err
}

type importFileInput struct {
	OfStudy
	Body api.ImportFileRequest
}

// maxRefused is how many rows are listed that were left out.
const maxRefused = 100

// importFile takes over the results in a file, as eke import does. A dry run goes as far as it can, so that people can say which column is
// which.
func (s *Server) importFile(ctx context.Context, in *importFileInput, o *openStudy, _ *study.Record) (out api.ImportedFile, err error) {
	table, err := s.readTable(ctx, in.Body.File)
	if err != nil {
		return out, err
	}
	defined := o.broker.Study()
	out = api.ImportedFile{Form: table.Form, Rows: len(table.Rows), Columns: append([]string{}, table.Columns...), Missing: []string{}, Refused: []api.RefusedRow{}}
	matched, missing, err := results.Columns(table, defined, in.Body.Columns)
	if err != nil {
		return out, inBody("body.columns", err)
	}
	if out.Matched = matched; len(missing) > 0 && in.Body.DryRun {
		out.Missing = missing
		return out, nil
	}
	if len(missing) > 0 {
		p := api.Invalid("body.columns", "no column is %s", missing[0])
		p.Errors[0].Hint = `name it, such as {"COLUMN": "` + missing[0] + `"}; there are: ` + fault.OneOf(table.Columns)
		return out, p
	}
	m, err := results.Match(table, defined, in.Body.Columns)
	if err != nil {
		return out, inBody("body.file", err)
	}
	out.Without, out.LeftOut = m.Without, len(m.Refused)
	for _, r := range m.Refused[:min(len(m.Refused), maxRefused)] {
		out.Refused = append(out.Refused, api.RefusedRow(r))
	}
	list := make([]broker.Result, len(m.Results))
	for i, r := range m.Results {
		list[i] = broker.Result(r)
	}
	done, err := o.imports(ctx, list, in.Body.Charge, in.Body.DryRun)
	out.Added, out.Known, out.Charged = done.Added, done.Known, done.Charged
	return out, err
}

// imports adds results, or says what would happen.
func (o *openStudy) imports(ctx context.Context, list []broker.Result, charge, dry bool) (done broker.Imported, err error) {
	do := o.broker.Import
	if dry {
		do = o.broker.WouldImport
	}
	err = o.lastingly(ctx, func(ctx context.Context) error {
		done, err = do(ctx, list, charge)
		return inBody("body.charge", err)
	})
	return done, err
}

// readTable reads a file when it is the request's turn, and only one with a reasonable number of rows and fields.
func (s *Server) readTable(ctx context.Context, file string) (*results.Table, error) {
	release, err := s.parsing.take(ctx, senderIn(ctx), 1)
	if err != nil {
		return nil, err
	}
	defer release()
	if !isSmallTable([]byte(file)) {
		return nil, api.NewProblem(fault.TooLarge, "import it in parts, or with eke import", "the file has too many rows or fields")
	}
	table, err := results.Read([]byte(file), "")
	return table, inBody("body.file", err)
}

// isSmallTable reports whether a file can be read without harm. JSON is bounded like any other body; a line of CSV is a row, and every
// separator may begin a field.
func isSmallTable(raw []byte) bool {
	start := bytes.TrimLeft(raw, "\ufeff \t\r\n")
	if len(start) > 0 && (start[0] == '{' || start[0] == '[') {
		return bounded(raw)
	}
	fields := 0
	for _, c := range raw {
		if c == ',' || c == ';' || c == '\t' || c == '\n' {
			fields++
		}
	}
	return fields <= maxValues && bytes.Count(raw, []byte("\n")) <= maxContainers
}
