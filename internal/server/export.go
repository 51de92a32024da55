package server

import (
	"bytes"
	"context"
	"encoding/json"
	"mime"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/report"
	"github.com/eke-bo/eke/internal/results"
	"github.com/eke-bo/eke/study"
)

func (s *Server) exportOperations(h huma.API) {
	export := s.long("/studies/{study}/export", "export", "Download a study's trials", Reader)
	file := &huma.Schema{Type: huma.TypeString}
	export.Responses = map[string]*huma.Response{"200": {Description: "The file", Content: map[string]*huma.MediaType{
		"text/csv": {Schema: file}, "application/json": {Schema: &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}},
	}}}
	register(s, h, export, ofStudy(s, s.export))
	reply(s, h, s.long("/studies/{study}/log", "get-log", "Get a study's log, oldest first", Reader), ofStudy(s, s.getLog))
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

func (s *Server) export(ctx context.Context, in *exportInput, o *openStudy, r *study.Record) (*exportOutput, error) {
	name := mime.FormatMediaType("attachment", map[string]string{"filename": o.broker.Study().Name + "." + in.Format})
	if in.Format == "json" {
		raw, err := json.MarshalIndent(struct {
			Study   *study.Study `json:"study"`
			Created time.Time    `json:"created"`
			Ledger  study.Ledger `json:"ledger"`
			Trials  []api.Trial  `json:"trials"`
		}{visible(ctx, o.broker.Study()), o.created, r.Ledger, newTrials(r.Trials)}, "", "  ")
		return &exportOutput{"application/json", name, raw}, err
	}
	var file bytes.Buffer
	err := results.WriteCSV(&file, o.broker.Study(), r.Trials)
	return &exportOutput{"text/csv; charset=utf-8", name, file.Bytes()}, err
}

type logInput struct {
	OfStudy
	After int64 `query:"after" minimum:"0" doc:"Only events with a higher number."`
	Limit int   `query:"limit" minimum:"1" maximum:"10000" default:"10000" doc:"How many at most."`
}

func (s *Server) getLog(ctx context.Context, in *logInput, _ *openStudy, _ *study.Record) (out api.Log, err error) {
	_, events, err := s.store.Read(ctx, in.Study, in.After)
	if err != nil {
		return out, err
	}
	out.Events = append([]study.Event{}, events[:min(len(events), max(in.Limit, 1), api.MaxListed)]...)
	for i, e := range out.Events {
		if out.Events[i].Definition, err = visibleRaw(ctx, e.Definition); err != nil {
			return out, err
		}
	}
	return out, nil
}

func (s *Server) reportOperation(h huma.API) {
	op := operation(http.MethodGet, "/studies/{study}/report", "get-report", "Get a report of a study, as one HTML file", Reader)
	op.Responses = map[string]*huma.Response{"200": {Description: "The report", Content: map[string]*huma.MediaType{"text/html": {Schema: &huma.Schema{Type: huma.TypeString}}}}}
	op.Middlewares = huma.Middlewares{longer}
	register(s, h, op, ofStudy(s, s.getReport))
}

// getReport writes the report that eke report writes. It is for downloading: its styles and its script are in it, and it needs no page.
func (s *Server) getReport(ctx context.Context, _ *OfStudy, o *openStudy, r *study.Record) (*fileOutput, error) {
	data := report.Data{Study: visible(ctx, o.broker.Study()), Record: r, Created: time.Now(), Version: s.config.Version}
	if len(data.Study.Changeover) > 0 {
		changes := o.broker.Advisor().Changes(r)
		data.Changes = &changes
	}
	best, ok, err := o.broker.Best(ctx, r)
	if err != nil {
		return nil, err
	}
	if ok {
		data.Best = &best
	}
	if data.Study.Several() {
		front, err := o.broker.Front(ctx, r)
		if err != nil {
			return nil, err
		}
		data.Front = &front
	}
	if data.Insight, err = s.getInsight(ctx, nil, o, r); err != nil {
		return nil, err
	}
	ahead, err := s.getRest(ctx, &restInput{}, o, r)
	if err != nil {
		return nil, err
	}
	data.Rest = ahead.Rest
	sent, refused := s.beginAnswer(ctx)
	if refused != nil {
		return nil, refused
	}
	afterwards(ctx, sent)
	var file bytes.Buffer
	if err := report.Write(&file, data); err != nil {
		return nil, err
	}
	name := mime.FormatMediaType("attachment", map[string]string{"filename": o.broker.Study().Name + ".html"})
	return &fileOutput{ContentType: "text/html; charset=utf-8", ContentDisposition: name, Sandbox: "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:", Body: file.Bytes()}, nil
}
