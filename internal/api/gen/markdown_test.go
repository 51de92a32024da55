package gen_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/eke-bo/eke/internal/api"
)

// markdown writes docs/API.md.
func markdown(d document) string {
	var w strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&w, format, args...) }
	say("# The API\n\n<!-- Generated from the server's OpenAPI document: go generate ./internal/api -->\n\n%s\n\n", d.Info.Description)
	say("In the examples, `$EKE` is the address of the API. `call` is `curl`, with a token if the server needs one. The token comes from a file that only you can read:\n\n")
	say("```sh\nEKE=http://127.0.0.1:8420/api/v1\ncall() { curl -sS --fail-with-body ${EKE_CURL:+--config \"$EKE_CURL\"} \"$@\"; }   # $EKE_CURL: a file with the line: header = \"Authorization: Bearer eke_…\"\n```\n\n")
	say("Numbers are finite. Times are RFC 3339, in UTC. A request may have up to %d MiB; an ask, a heartbeat and a result [may have less](SERVICE.md#limits-and-rates). Unknown fields and query parameters are refused. [SERVICE.md](SERVICE.md) says how to run a server, and explains roles and limits.\n", api.MaxBody>>20)
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
	say("\n## Requests and answers\n\nA field marked * is always there.\n")
	for _, name := range slices.Sorted(maps.Keys(d.Components.Schemas)) {
		say("\n### %s\n\n", name)
		if s := d.Components.Schemas[name]; len(s.Properties) > 0 {
			writeFields(say, s)
		} else {
			say("%s\n", words(s))
		}
	}
	return w.String()
}

func writeOperation(say func(string, ...any), d document, id string) {
	method, path, o := d.find(id)
	say("**`%s %s`** %s. %s\n\n", method, path, o.Summary, o.Description)
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
		if kind != "application/octet-stream" { // huma adds it where a handler reads the body itself
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
		text += fmt.Sprintf("; default `%v`", s.Default)
	}
	if s.Description != "" {
		text += ". " + s.Description
	}
	return strings.ReplaceAll(text, "|", `\|`)
}

// kind is the type of a value. Types with a name are links.
func kind(s schema) string {
	if name := s.ref(); name != "" {
		return fmt.Sprintf("[%s](#%s)", name, strings.ToLower(name))
	}
	if len(s.OneOf) > 0 {
		var list []string
		for _, one := range s.OneOf {
			list = append(list, kind(one))
		}
		return strings.Join(list, " or ")
	}
	name, orNull := s.kind()
	switch {
	case name == "array" && s.Items != nil:
		name = "list of " + kind(*s.Items)
	case name == "object" && len(s.Properties) > 0:
		var fields []string
		for _, field := range slices.Sorted(maps.Keys(s.Properties)) {
			fields = append(fields, fmt.Sprintf("`%s` (%s)", field, words(s.Properties[field])))
		}
		name = "object with " + strings.Join(fields, ", ")
	case name == "object" && s.values() != nil:
		name = "object of " + kind(*s.values())
	case s.Format == "date-time":
		name = "time"
	case name == "":
		name = "any JSON"
	}
	if orNull {
		name += " or null"
	}
	return name
}
