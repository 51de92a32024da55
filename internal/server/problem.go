package server

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/eke-bo/eke/internal/api"
)

// huma makes its own errors by this variable, for all of a program.
func init() {
	huma.NewError = func(status int, message string, errs ...error) huma.StatusError {
		p := api.NewProblem(api.CodeOfStatus(status), "", "%s", message).WithStatus(status)
		for _, err := range errs {
			if err == nil {
				continue
			}
			if len(p.Errors) == mostErrors {
				break
			}
			f := &api.FieldError{Location: "body", Message: "this is not JSON"}
			if detailed := huma.ErrorDetailer(nil); errors.As(err, &detailed) {
				d := detailed.ErrorDetail()
				f = &api.FieldError{Location: d.Location, Message: inWords(d.Message), Value: short(d.Value)}
			}
			p.Errors = append(p.Errors, f)
		}
		if len(p.Errors) > 0 {
			p.Detail = message + ": " + p.Errors[0].Error()
		}
		return p
	}
}

// mostErrors is how many mistakes of a request are named.
const mostErrors = 50

// inWords is a message without the names of our types, which encoding/json mentions.
func inWords(message string) string {
	if strings.Contains(message, "Go value") || strings.Contains(message, "Go struct") {
		return "this value cannot be used here"
	}
	return message
}

// short is a value worth sending back. One of a megabyte is not.
func short(v any) any {
	const most = 200
	if text, ok := v.(string); ok && len(text) > most {
		return nil
	}
	if raw, err := json.Marshal(v); err != nil || len(raw) > most {
		return nil
	}
	return v
}

// write answers with a problem where huma does not.
func write(w http.ResponseWriter, p *api.Problem) {
	for name, values := range p.Header {
		w.Header()[name] = values
	}
	w.Header().Set("Content-Type", p.ContentType(""))
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p) // the client may be gone
}
