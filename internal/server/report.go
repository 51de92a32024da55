package server

import (
	"bytes"
	"context"
	"mime"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/eke-bo/eke/internal/report"
	"github.com/eke-bo/eke/study"
)

func (s *Server) reportOperation(h huma.API) {
	op := operation(http.MethodGet, "/studies/{study}/report", "get-report", "Get a report of a study, as one HTML file", Reader)
	op.Responses = map[string]*huma.Response{"200": {Description: "The report", Content: map[string]*huma.MediaType{"text/html": {Schema: &huma.Schema{Type: huma.TypeString}}}}}
	op.Middlewares = huma.Middlewares{longer}
	register(s, h, op, ofStudy(s, s.getReport))
}

// getReport writes the report that eke report writes. It is for downloading: its styles and its script are in it, and it needs no page.
func (s *Server) getReport(ctx context.Context, _ *OfStudy, o *openStudy, r *study.Record) (*fileOutput, error) {
	data := report.Data{Study: visible(ctx, o.broker.Study()), Record: r, Created: time.Now(), Version: s.config.Version}
	best, ok, err := o.broker.Best(ctx, r)
	if err != nil {
		return nil, err
	}
	if ok {
		data.Best = &best
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
