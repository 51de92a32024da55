package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/eke-bo/eke/study"
)

// definitionBody describes the ways to send a study.
func definitionBody() *huma.RequestBody {
	text := func(about string) *huma.Schema { return &huma.Schema{Type: huma.TypeString, Description: about} }
	return &huma.RequestBody{Required: true, Description: "A study file, or JSON with one of yaml and definition.", Content: map[string]*huma.MediaType{
		"application/yaml": {Schema: text("The study file")},
		"application/json": {Schema: &huma.Schema{Type: huma.TypeObject, Properties: map[string]*huma.Schema{
			"yaml":       text("The study file"),
			"definition": {Type: huma.TypeObject, Description: "Its JSON form, as a study's definition is shown", AdditionalProperties: true},
		}, AdditionalProperties: false}},
	}}
}

// readDefinition reads a study from a request. Whatever way it came, it is checked as a study file is.
func readDefinition(contentType string, raw []byte) (*study.Study, error) {
	kind, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		kind = contentType
	}
	switch kind {
	case "application/yaml", "text/yaml", "application/x-yaml", "text/x-yaml":
		return study.Parse(raw, "study.yaml")
	case "application/json", "":
	default:
		return nil, problem(http.StatusUnsupportedMediaType, BadRequest, "a study is sent as application/yaml or application/json, not as %.100q", contentType)
	}
	var in struct {
		YAML       *string         `json:"yaml"`
		Definition json.RawMessage `json:"definition"`
	}
	if err := strictly(raw, &in); err != nil {
		return nil, err
	}
	switch {
	case in.YAML != nil && in.Definition != nil:
		return nil, invalid("body", "it has both yaml and definition; send one")
	case in.YAML != nil:
		return study.Parse([]byte(*in.YAML), "study.yaml")
	case in.Definition != nil:
		return fromJSON(in.Definition)
	}
	return nil, invalid("body.definition", "it is missing; send it, or yaml")
}

// strictly reads JSON into a struct that knows all of its fields.
func strictly(raw []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return unreadable("body", err)
	}
	if _, err := d.Token(); err != io.EOF {
		p := invalid("body", "there is something after the JSON")
		p.Status = http.StatusBadRequest
		return p
	}
	return nil
}

// unreadable says what is wrong with JSON without the names of our types.
func unreadable(at string, err error) *Problem {
	var wrongType *json.UnmarshalTypeError
	if errors.As(err, &wrongType) {
		if wrongType.Field != "" {
			at += "." + wrongType.Field
		}
		return invalid(at, "a %s does not belong here", wrongType.Value)
	}
	if field, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return invalid(at+"."+strings.Trim(field, `"`), "there is no such field")
	}
	p := invalid(at, "it cannot be read as JSON")
	p.Status, p.Title = http.StatusBadRequest, http.StatusText(http.StatusBadRequest)
	return p
}

// fromJSON reads the JSON form of a study. It is written as a study file and read as one, so that no study gets in that a
// file could not describe; and what was given must be in it unchanged.
func fromJSON(raw []byte) (*study.Study, error) {
	const at = "body.definition"
	var given any
	if err := json.Unmarshal(raw, &given); err != nil {
		return nil, unreadable(at, err)
	}
	var s study.Study
	if err := json.Unmarshal(raw, &s); err != nil {
		if p := unreadable(at, err); p.Status != http.StatusBadRequest {
			return nil, p
		}
		return nil, invalid(at, "%s", bare(err)) // a duration, or a value
	}
	for _, need := range []struct {
		missing bool
		field   string
	}{
		{s.Name == "", "name"}, {s.Objective.Goal == "", "objective.goal"}, {s.Cost.Source == "", "cost.source"},
		{s.Budget.Total == 0, "budget.total"}, {len(s.Parameters) == 0, "parameters"},
	} {
		if need.missing {
			return nil, invalid(at+"."+need.field, "it is missing")
		}
	}
	parsed, err := study.Parse([]byte(study.Template(s)), "definition")
	if list := (study.Errors)(nil); errors.As(err, &list) {
		p := faulty(list)
		for _, f := range p.Errors { // there is no file that these would be lines of
			f.Location, f.Line, f.Column = at+strings.TrimPrefix(f.Location, "body"), 0, 0
		}
		return nil, p
	}
	if err != nil {
		return nil, err
	}
	again, err := json.Marshal(parsed)
	if err != nil {
		return nil, err
	}
	var kept any
	if err := json.Unmarshal(again, &kept); err != nil {
		return nil, err
	}
	if where, same := contains(kept, given, at); !same {
		return nil, invalid(where, "it is not known here, or cannot be this")
	}
	return parsed, nil
}

// contains says whether all that was given is in what was made of it, and where it is not. Durations may be written in several
// ways, and what is empty may be left out.
func contains(kept, given any, at string) (where string, same bool) {
	switch g := given.(type) {
	case map[string]any:
		k, ok := kept.(map[string]any)
		if !ok {
			return at, false
		}
		for name, v := range g {
			here := at + "." + name
			if here == "body.definition.budget.timeout" || here == "body.definition.budget.deadline" {
				continue
			}
			inside, there := k[name]
			if !there && isEmpty(v) {
				continue
			}
			if where, same := contains(inside, v, here); !same || !there {
				return where, false
			}
		}
		return "", true
	case []any:
		k, ok := kept.([]any)
		if !ok || len(k) != len(g) {
			return at, false
		}
		for i := range g {
			if where, same := contains(k[i], g[i], fmt.Sprintf("%s[%d]", at, i)); !same {
				return where, false
			}
		}
		return "", true
	}
	return at, kept == given || isEmpty(given)
}

func isEmpty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case bool:
		return !v
	case float64:
		return v == 0
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}
