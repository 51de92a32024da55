package apidoc_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// These are the parts of an OpenAPI document that the page shows.
type (
	document struct {
		Info       struct{ Description string }
		Paths      map[string]map[string]operation
		Components struct{ Schemas map[string]schema }
	}
	operation struct {
		OperationID, Summary, Description string
		Parameters                        []struct {
			Name, In, Description string
			Required              bool
			Schema                schema
		}
		RequestBody struct{ Content map[string]media }
		Responses   map[string]struct{ Content map[string]media }
	}
	media  struct{ Schema schema }
	schema struct {
		Ref                  string `json:"$ref"`
		Type                 any    // a name, or a list of names
		Format, Description  string
		Enum                 []any
		Default              any
		Minimum, Maximum     *float64
		ExclusiveMinimum     *float64
		MaxLength            *int
		Properties           map[string]schema
		Required             []string
		Items                *schema
		AdditionalProperties any
	}
)

// render writes the page.
func render(d document) string {
	var w strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&w, format, args...) }
	say("# The API\n\n<!-- Made from the server's OpenAPI document: go test ./internal/server/apidoc -update -->\n\n%s\n\n", d.Info.Description)
	say("In the examples, `$EKE` is where the API is, and `call` stands for `curl` with a token, if one is needed, from a file that nobody else can read:\n\n")
	say("```sh\nEKE=http://127.0.0.1:8420/api/v1\ncall() { curl -sS --fail-with-body ${EKE_CURL:+--config \"$EKE_CURL\"} \"$@\"; }   # $EKE_CURL: a file with the line: header = \"Authorization: Bearer eke_…\"\n```\n\n")
	say("Numbers are finite, times are RFC 3339 in UTC. A body may have 1 MiB. Unknown fields and query parameters are refused. [SERVICE.md](SERVICE.md) has the rest: how to run a server, roles, limits.\n")
	for _, g := range groups {
		say("\n## %s\n\n", g.title)
		if g.about != "" {
			say("%s\n\n", g.about)
		}
		for _, id := range g.operations {
			writeOperation(say, d, id)
		}
		say("```sh\n%s\n```\n", g.example)
	}
	say("\n## What is sent and answered\n\nA field with a * is always there.\n")
	for _, name := range slices.Sorted(maps.Keys(d.Components.Schemas)) {
		say("\n### %s\n\n", name)
		writeFields(say, d.Components.Schemas[name])
	}
	return w.String()
}

func (d document) find(id string) (method, path string, o operation) {
	for path, methods := range d.Paths {
		for method, o := range methods {
			if o.OperationID == id {
				return strings.ToUpper(method), path, o
			}
		}
	}
	return "", "", operation{}
}

func writeOperation(say func(string, ...any), d document, id string) {
	method, path, o := d.find(id)
	say("**`%s %s`**: %s. %s\n\n", method, path, o.Summary, o.Description)
	for _, p := range o.Parameters {
		if p.In == "path" || p.Name == "Content-Type" {
			continue
		}
		must := ""
		if p.Required {
			must = " *"
		}
		say("- %s `%s`%s: %s\n", p.In, p.Name, must, words(p.Schema))
	}
	for _, kind := range slices.Sorted(maps.Keys(o.RequestBody.Content)) {
		if kind != "application/octet-stream" { // how huma says that it hands the body on as it is
			say("- body, `%s`: %s\n", kind, words(o.RequestBody.Content[kind].Schema))
		}
	}
	for _, status := range slices.Sorted(maps.Keys(o.Responses)) {
		for _, kind := range slices.Sorted(maps.Keys(o.Responses[status].Content)) {
			if status != "default" { // a Problem, always
				say("- answer %s, `%s`: %s\n", status, kind, words(o.Responses[status].Content[kind].Schema))
			}
		}
	}
	say("\n")
}

func writeFields(say func(string, ...any), s schema) {
	say("| field | |\n|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		mark := ""
		if slices.Contains(s.Required, name) {
			mark = " *"
		}
		say("| `%s`%s | %s |\n", name, mark, words(s.Properties[name]))
	}
}

// words says in a line what a value may be.
func words(s schema) string {
	text := kind(s)
	var list []string
	for _, e := range s.Enum {
		list = append(list, fmt.Sprintf("`%v`", e))
	}
	if len(list) > 0 {
		text = strings.Join(list, ", ")
	}
	if s.ExclusiveMinimum != nil {
		text += fmt.Sprintf(", above %v", *s.ExclusiveMinimum)
	}
	if s.Minimum != nil {
		text += fmt.Sprintf(", at least %v", *s.Minimum)
	}
	if s.Maximum != nil {
		text += fmt.Sprintf(", at most %v", *s.Maximum)
	}
	if s.MaxLength != nil {
		text += fmt.Sprintf(", up to %d characters", *s.MaxLength)
	}
	if s.Default != nil {
		text += fmt.Sprintf("; `%v` if left out", s.Default)
	}
	if s.Description != "" {
		text += ". " + s.Description
	}
	return strings.ReplaceAll(text, "|", `\|`)
}

// kind is the type of a value; those of JSON by their own names, others as links.
func kind(s schema) string {
	if name, ok := strings.CutPrefix(s.Ref, "#/components/schemas/"); ok {
		return fmt.Sprintf("[%s](#%s)", name, strings.ToLower(name))
	}
	switch t := s.Type.(type) {
	case string:
		switch {
		case t == "array" && s.Items != nil:
			return "list of " + kind(*s.Items)
		case t == "object" && len(s.Properties) > 0:
			var fields []string
			for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
				fields = append(fields, fmt.Sprintf("`%s` (%s)", name, words(s.Properties[name])))
			}
			return "object with " + strings.Join(fields, ", ")
		case s.Format == "date-time":
			return "time"
		}
		return t
	case []any: // a type, or null
		for _, name := range t {
			if name != "null" {
				s.Type = name
			}
		}
		if s.Type == "array" { // empty lists are sent as such, or left out
			return kind(s)
		}
		return kind(s) + " or null"
	}
	return "any JSON"
}
