package server_test

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// describedAPI is what the description says of requests.
type describedAPI struct {
	Paths map[string]map[string]struct {
		OperationID string
		Parameters  []struct {
			In, Name string
			Schema   struct{ Type any }
		}
		RequestBody struct {
			Content map[string]struct {
				Schema struct {
					Ref        string `json:"$ref"`
					Properties map[string]any
				}
			}
		}
	}
	Components struct {
		Schemas map[string]struct {
			Properties map[string]struct{ Type any }
		}
	}
}

func describedBodies(t testing.TB) (doc describedAPI) {
	t.Helper()
	raw, err := os.ReadFile("../api/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// words returns the fields of a schema that are texts.
func (d describedAPI) words(schema string) (names []string) {
	for name, p := range d.Components.Schemas[schema].Properties {
		if p.Type == "string" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// ways are the requests of an operation that may lead to a study of the others: addressed to it; and addressed to ours, with its name
// wherever the operation takes a text.
func (d describedAPI) ways(id string) (list []string) {
	request := carriedOut[id]
	list = append(list, request)
	mine := asOurs(request)
	method, rest, _ := strings.Cut(mine, " ")
	path, body, _ := strings.Cut(rest, " ")
	address, query, _ := strings.Cut(path, "?")
	for where, methods := range d.Paths {
		for _, op := range methods {
			if op.OperationID != id {
				continue
			}
			for _, p := range op.Parameters {
				if p.In == "query" && p.Schema.Type == "string" {
					list = append(list, method+" "+address+"?"+with(query, p.Name, "kiln")+" "+body)
				}
			}
			kind := op.RequestBody.Content["application/json"].Schema
			for _, field := range d.words(strings.TrimPrefix(kind.Ref, "#/components/schemas/")) {
				list = append(list, method+" "+path+" "+withField(body, field, "kiln"))
			}
			_, defines := kind.Properties["definition"]
			for _, field := range d.words("Definition") {
				switch {
				case defines:
					list = append(list, method+" "+path+" "+withField(body, "yaml", redefined(body, field)))
				case strings.HasSuffix(where, "/copy"):
					list = append(list, method+" "+path+" "+withField(withField(body, "name", "fresh"), "changes", map[string]string{field: "kiln"}))
				}
			}
		}
	}
	return append(list, mine)
}

// with sets a field of a query.
func with(query, field, value string) string {
	parts := slices.DeleteFunc(strings.Split(query, "&"), func(part string) bool { return part == "" || strings.HasPrefix(part, field+"=") })
	return strings.Join(append(parts, field+"="+value), "&")
}

// withField sets a field of a body.
func withField(body, field string, value any) string {
	fields := map[string]any{}
	_ = json.Unmarshal([]byte(body), &fields) // where there is none, this is all of it
	fields[field] = value
	raw, _ := json.Marshal(fields)
	return string(raw)
}

// redefined is the study file of a body, with a field that names the study of the others.
func redefined(body, field string) string {
	var sent struct{ YAML string }
	_ = json.Unmarshal([]byte(body), &sent)
	line := regexp.MustCompile(`(?m)^` + field + `:.*\n`)
	return line.ReplaceAllString(sent.YAML, "") + field + ": kiln\n"
}
