package server

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/study"
)

// routes returns the handlers of all addresses, behind the shell.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	h := s.api(mux)
	s.studyOperations(h)
	s.redefineOperations(h)
	s.trialOperations(h)
	s.workerOperations(h)
	s.thoughtOperations(h)
	s.importOperations(h)
	s.modelOperations(h)
	s.restOperations(h)
	s.exportOperations(h)
	s.eventOperations(h)
	s.tokenOperations(h)
	s.fileOperations(h)
	s.reportOperation(h)
	s.healthOperations(h)
	completed(h.OpenAPI().Components.Schemas)
	mux.Handle("GET /metrics", s.guarded(Reader, http.HandlerFunc(s.getMetrics)))
	page := s.config.Dashboard
	if page == nil {
		page = http.HandlerFunc(plainPage)
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		allowed := methodsOf(mux, r)
		switch {
		case len(allowed) > 0:
			write(w, api.NewProblem(fault.BadRequest, "use "+strings.Join(allowed, " or "), "this address does not take %s", clip(r.Method)).
				WithStatus(http.StatusMethodNotAllowed).WithHeader("Allow", strings.Join(allowed, ", ")))
		case isData(r.URL.Path):
			write(w, api.NewProblem(fault.NotFound, "see /openapi.json", "there is nothing at this address"))
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			write(w, api.NewProblem(fault.BadRequest, "use GET", "the page can only be read").
				WithStatus(http.StatusMethodNotAllowed).WithHeader("Allow", "GET, HEAD"))
		default:
			page.ServeHTTP(w, r)
		}
	})
	return acceptJSON(mux)
}

// acceptJSON makes every answer JSON, whatever a browser prefers.
func acceptJSON(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/api/") {
			r.Header.Set("Accept", "application/json")
		}
		next.ServeHTTP(w, r)
	})
}

func plainPage(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/" {
		write(w, api.NewProblem(fault.NotFound, "", "there is nothing at this address"))
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("eke. The API is described in /openapi.json.\n"))
}

// methodsOf lists the methods that an address takes, if the request has another one.
func methodsOf(mux *http.ServeMux, r *http.Request) (list []string) {
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		as := *r
		as.Method = method
		if _, pattern := mux.Handler(&as); strings.HasPrefix(pattern, method+" ") {
			list = append(list, method)
		}
	}
	if slices.Contains(list, r.Method) {
		return nil
	}
	return list
}

func clip(text string) string { return text[:min(len(text), 20)] }

func (s *Server) api(mux *http.ServeMux) huma.API {
	c := huma.DefaultConfig("eke", s.config.Version)
	c.CreateHooks, c.DocsPath, c.SchemasPath = nil, "", "" // no $schema in answers, and no page that loads things from elsewhere
	c.RejectUnknownQueryParameters = true
	c.Formats = map[string]huma.Format{"application/json": jsonFormat(), "json": jsonFormat()}
	c.Info.Description = "Find good settings for expensive experiments within a budget. Ask for a trial, evaluate it, and tell its result.\n\n" +
		"Every error is a problem document (RFC 9457) with a code for programs and a hint for people. A trial that is handed out is a lease: " +
		"send a heartbeat at least every third of lease_seconds. A request with an Idempotency-Key can be repeated safely."
	c.Info.License = &huma.License{Name: "Apache License 2.0", Identifier: "Apache-2.0"}
	c.Servers = []*huma.Server{{URL: "/", Description: "The server that this document comes from."}}
	c.Components.Schemas = newSchemas()
	c.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"token": {Type: "http", Scheme: "bearer", Description: "A token from eke token new. Its role is reader, worker or admin. A worker may do what a reader may, and an admin may do everything."},
	}
	h := humago.New(mux, c)
	s.guardOperations(h)
	return h
}

// onTrial describes an operation of whoever evaluates a trial; see mayReport.
func onTrial(path, id, summary string) huma.Operation {
	op := operation(http.MethodPost, "/studies/{study}/trials/{number}"+path, id, summary, Worker)
	op.Description = "Role: worker, for trials asked for with the same token; or the study's owner, or admin."
	return op
}

// operation describes an operation. Its path is below the prefix of the interface.
func operation(method, path, id, summary string, need Role) huma.Operation {
	op := huma.Operation{
		OperationID: id, Method: method, Path: api.Prefix + path, Summary: summary, MaxBodyBytes: api.MaxBody, BodyReadTimeout: readTimeout,
		Metadata: map[string]any{roleKey: need}, Description: "Role: " + string(need) + ".",
		Security: []map[string][]string{{"token": {}}},
	}
	if need == Admin && strings.HasPrefix(path, "/studies/{study}/") {
		op.Metadata[ownerKey] = true
		op.Description = "Role: admin, or the study's owner."
	}
	return op
}

// body is an answer that is only a body.
type body[T any] struct{ Body T }

// reply adds an operation whose answer is only a body.
func reply[I, T any](s *Server, h huma.API, op huma.Operation, do func(context.Context, *I) (T, error)) {
	register(s, h, op, func(ctx context.Context, in *I) (*body[T], error) {
		out, err := do(ctx, in)
		return &body[T]{out}, err
	})
}

// register adds an operation. Its errors become problems.
func register[I, O any](s *Server, h huma.API, op huma.Operation, do func(context.Context, *I) (*O, error)) {
	huma.Register(h, op, func(ctx context.Context, in *I) (*O, error) {
		out, err := do(ctx, in)
		if err != nil {
			return nil, s.explain(err)
		}
		return out, nil
	})
}

// ofStudy opens the study that a request names, and lets do answer.
func ofStudy[I interface {
	place() api.Place
	called(string)
}, O any](s *Server, do func(context.Context, I, *openStudy, *study.Record) (O, error)) func(context.Context, I) (O, error) {
	return func(ctx context.Context, in I) (out O, err error) {
		o, r, err := s.openAt(ctx, in.place())
		if err == nil {
			in.called(o.broker.Study().Name)
			out, err = do(ctx, in, o, r)
		}
		noteDamage(ctx, err)
		return out, err
	}
}

// OfStudy is the input of every operation on a study.
type OfStudy struct {
	Study string `path:"study" maxLength:"200" doc:"The study's name."`
	ID    string `header:"Eke-Study" maxLength:"100" doc:"The study's ID. With it, the study is found even if it was renamed, and another study of that name is never taken for it."`
}

func (of *OfStudy) place() api.Place { return api.Place{Study: of.Study, StudyID: of.ID} }

// called notes what the study is called now.
func (of *OfStudy) called(name string) { of.Study = name }

// OfTrial is the input of every operation on a trial.
type OfTrial struct {
	OfStudy
	Number  int    `path:"number" minimum:"1" maximum:"1000000000" doc:"The trial's number."`
	TrialID string `header:"Eke-Trial" maxLength:"100" doc:"The trial's ID. With it, no trial of the same number in another log is taken for it. Without it, reports are refused for a study whose name another study had before."`
}

func (of *OfTrial) place() api.Place {
	return api.Place{Study: of.Study, StudyID: of.ID, Trial: of.Number, TrialID: of.TrialID}
}
