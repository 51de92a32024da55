package server

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// routes returns everything that can be asked for, behind the shell.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	api := s.api(mux)
	s.studyOperations(api)
	s.trialOperations(api)
	s.workerOperations(api)
	s.modelOperations(api)
	s.exportOperations(api)
	s.eventOperations(api)
	s.healthOperation(api)
	mux.Handle("GET /metrics", s.guarded(Reader, s.metrics.handler()))
	page := s.config.Dashboard
	if page == nil {
		page = http.HandlerFunc(plainPage)
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		allowed := methodsOf(mux, r)
		switch {
		case len(allowed) > 0:
			problem(http.StatusMethodNotAllowed, BadRequest, "%s cannot be used here; %s can", clip(r.Method), strings.Join(allowed, " and ")).
				with("Allow", strings.Join(allowed, ", ")).write(w)
		case isData(r.URL.Path):
			problem(http.StatusNotFound, NotFound, "there is nothing at this address; /openapi.json has all there is").write(w)
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			problem(http.StatusMethodNotAllowed, BadRequest, "the page can only be read").with("Allow", "GET, HEAD").write(w)
		default:
			page.ServeHTTP(w, r)
		}
	})
	return acceptJSON(mux)
}

// acceptJSON settles what is answered: JSON, whatever a browser would rather have.
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
		problem(http.StatusNotFound, NotFound, "there is nothing at this address").write(w)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("eke. The API is described in /openapi.json.\n"))
}

// methodsOf lists the methods by which a path can be used, if it was tried with another.
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
	registry := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	// These write their JSON themselves, and it may be anything of its kind.
	anything := reflect.TypeFor[any]()
	registry.RegisterTypeAlias(reflect.TypeFor[space.Value](), anything)
	registry.RegisterTypeAlias(reflect.TypeFor[json.RawMessage](), anything)
	registry.RegisterTypeAlias(reflect.TypeFor[study.Study](), reflect.TypeFor[map[string]any]())
	c := huma.DefaultConfig("eke", s.config.Version)
	c.CreateHooks, c.DocsPath, c.SchemasPath = nil, "", "" // no $schema in answers, and no page that loads things from elsewhere
	c.RejectUnknownQueryParameters = true
	c.Info.Description = "Find good settings for expensive experiments within a budget: ask for a trial, evaluate it, tell what came of it.\n\n" +
		"Errors are problem documents (RFC 9457) with a code for programs. A trial that is asked for is a lease: send a heartbeat at least " +
		"every third of lease_seconds. Requests with an Idempotency-Key can be repeated without harm."
	c.Components.Schemas = registry
	c.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"token": {Type: "http", Scheme: "bearer", Description: "A token made by eke token new. Roles: reader, worker, admin; each may do what those before it may."},
	}
	api := humago.New(mux, c)
	s.guardOperations(api)
	return api
}

const prefix = "/api/v1"

// operation describes one; the path is below the prefix.
func operation(method, path, id, summary string, need Role) huma.Operation {
	op := huma.Operation{
		OperationID: id, Method: method, Path: prefix + path, Summary: summary, MaxBodyBytes: mostBody, BodyReadTimeout: readTimeout,
		Metadata: map[string]any{roleKey: need}, Description: "Role: " + string(need) + ".",
		Security: []map[string][]string{{"token": {}}},
	}
	return op
}

// register adds an operation whose errors are explained.
func register[I, O any](s *Server, api huma.API, op huma.Operation, do func(context.Context, *I) (*O, error)) {
	huma.Register(api, op, func(ctx context.Context, in *I) (*O, error) {
		out, err := do(ctx, in)
		if err != nil {
			return nil, s.explain(err)
		}
		return out, nil
	})
}

// body is an answer of nothing but a body.
type body[T any] struct{ Body T }

func answer[T any](v T) (*body[T], error) { return &body[T]{v}, nil }

// OfStudy is what every operation on a study is given.
type OfStudy struct {
	Study string `path:"study" maxLength:"200" doc:"The study's name"`
}

// OfTrial is what every operation on a trial is given.
type OfTrial struct {
	OfStudy
	Number int `path:"number" minimum:"1" maximum:"1000000000" doc:"The trial's number"`
}

// Keyed can be repeated.
type Keyed struct {
	Key string `header:"Idempotency-Key" maxLength:"200" pattern:"^[!-~]+$" doc:"Repeated with the same key the request is done once, and answered as before"`
}

func (s *Server) healthOperation(api huma.API) {
	type health struct {
		Status string `json:"status" enum:"ok"`
	}
	op := huma.Operation{OperationID: "health", Method: http.MethodGet, Path: "/healthz", Summary: "Whether the server and its store work"}
	register(s, api, op, func(ctx context.Context, _ *struct{}) (*body[health], error) {
		if _, err := s.guard.known(ctx); err != nil {
			return nil, err
		}
		return answer(health{"ok"})
	})
}
