package server

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/eke-bo/eke/study"
)

func (s *Server) exportOperations(api huma.API) {
	export := operation(http.MethodGet, "/studies/{study}/export", "export", "A study's trials as a file", Reader)
	file := &huma.Schema{Type: huma.TypeString}
	export.Responses = map[string]*huma.Response{"200": {Description: "The file", Content: map[string]*huma.MediaType{
		"text/csv": {Schema: file}, "application/json": {Schema: &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}},
	}}}
	register(s, api, export, s.export)
	register(s, api, operation(http.MethodGet, "/studies/{study}/log", "get-log", "Everything that happened, in order", Reader), s.getLog)
}

type exportInput struct {
	OfStudy
	Format string `query:"format" enum:"csv,json" default:"csv"`
}

type exportOutput struct {
	ContentType        string `header:"Content-Type"`
	ContentDisposition string `header:"Content-Disposition"`
	Body               []byte
}

func (s *Server) export(ctx context.Context, in *exportInput) (*exportOutput, error) {
	at, r, err := s.open(ctx, in.Study)
	if err != nil {
		return nil, err
	}
	name := mime.FormatMediaType("attachment", map[string]string{"filename": at.desk.Study().Name + "." + in.Format})
	if in.Format == "json" {
		raw, err := json.MarshalIndent(struct {
			Study   *study.Study `json:"study"`
			Created time.Time    `json:"created"`
			Ledger  study.Ledger `json:"ledger"`
			Trials  []Trial      `json:"trials"`
		}{at.desk.Study(), at.created, r.Ledger, trialViews(r.Trials)}, "", "  ")
		return &exportOutput{"application/json", name, raw}, err
	}
	raw, err := asCSV(at.desk.Study(), r.Trials)
	return &exportOutput{"text/csv; charset=utf-8", name, raw}, err
}

// before and after are the columns around those of the parameters, as eke export has them.
var (
	before = []string{"trial", "state", "value", "cost", "beyond"}
	after  = []string{"reserved", "asked", "started", "finished", "wall", "thinking", "runner", "exit", "note"}
)

func asCSV(defined *study.Study, trials []study.Trial) ([]byte, error) {
	var file bytes.Buffer
	out := csv.NewWriter(&file)
	out.UseCRLF = true // RFC 4180
	row := slices.Clone(before)
	for _, p := range defined.Parameters {
		if name := p.Name; slices.Contains(before, name) || slices.Contains(after, name) {
			row = append(row, "parameter."+name)
		} else {
			row = append(row, name)
		}
	}
	_ = out.Write(append(row, after...)) // Error has the first error
	for _, t := range trials {
		_ = out.Write(csvRow(defined, t))
	}
	out.Flush()
	return file.Bytes(), out.Error()
}

func csvRow(defined *study.Study, t study.Trial) []string {
	exact := func(x float64, given bool) string {
		if !given {
			return ""
		}
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	when := func(at time.Time) string {
		if at.IsZero() {
			return ""
		}
		return at.UTC().Format(time.RFC3339Nano)
	}
	row := []string{strconv.Itoa(t.Number), string(t.State), exact(t.Value, t.State == study.Done), exact(t.Charged, t.State.Ended()),
		strconv.FormatBool(t.Beyond)}
	for _, p := range defined.Parameters {
		row = append(row, t.Setting[p.Name].String())
	}
	exit := ""
	if t.Exit != nil {
		if exit = t.Exit.Signal; exit == "" {
			exit = strconv.Itoa(t.Exit.Code)
		}
	}
	return append(row, exact(t.Reserved, t.State.Open()), when(t.Asked), when(t.Started), when(t.Finished), exact(t.Wall, t.Wall > 0),
		exact(t.Thinking, t.Thinking > 0), t.Runner, exit, t.Note)
}

type logInput struct {
	OfStudy
	After int64 `query:"after" minimum:"0" doc:"Only events with a higher number"`
}

// Log is a part of a study's log.
type Log struct {
	Events []study.Event `json:"events"`
}

func (s *Server) getLog(ctx context.Context, in *logInput) (*body[Log], error) {
	_, events, err := s.store.Read(ctx, in.Study, in.After)
	if err != nil {
		return nil, err
	}
	return answer(Log{append([]study.Event{}, events[:min(len(events), mostListed)]...)})
}
