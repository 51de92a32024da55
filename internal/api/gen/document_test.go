package gen_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// These are the parts of an OpenAPI document that the files are made from.
type (
	document struct {
		Info       struct{ Description string }
		Paths      map[string]map[string]operation
		Components struct{ Schemas map[string]schema }
	}
	operation struct {
		OperationID, Summary, Description string
		Timeout                           int `json:"x-timeout-seconds"`
		Ping                              int `json:"x-ping-seconds"`
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
		OneOf                []schema
		Format, Description  string
		Pattern              string
		Enum                 []any
		Over                 []string `json:"x-over"`
		Default              any
		Minimum, Maximum     *float64
		ExclusiveMinimum     *float64
		MaxLength            *int
		Properties           map[string]schema
		Required             []string
		Items                *schema
		AdditionalProperties json.RawMessage
	}
)

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

// ref is the name of the schema that another refers to.
func (s schema) ref() string { return strings.TrimPrefix(s.Ref, "#/components/schemas/") }

// kind is the JSON type, and whether null will do as well. It is empty if anything will.
func (s schema) kind() (name string, orNull bool) {
	switch t := s.Type.(type) {
	case string:
		return t, false
	case []any:
		for _, one := range t {
			if one == "null" {
				orNull = true
			} else {
				name = fmt.Sprint(one)
			}
		}
	}
	return name, orNull
}

// values is the schema of an object's values, if the object is a map.
func (s schema) values() *schema {
	var of schema
	if len(s.AdditionalProperties) == 0 || s.AdditionalProperties[0] != '{' || json.Unmarshal(s.AdditionalProperties, &of) != nil {
		return nil
	}
	return &of
}

func (s schema) requires(field string) bool { return slices.Contains(s.Required, field) }

// limit is a limit that clients have to know, with its name in Python and on the page.
type limit struct {
	python, page, about string
	value               any
}

// limits reads the limits out of the document.
func (d document) limits() []limit {
	field := func(name, field string) schema { return d.Components.Schemas[name].Properties[field] }
	_, _, ask := d.find("ask")
	_, _, listen := d.find("listen")
	_, _, list := d.find("list-trials")
	listed := 0.0
	for _, p := range list.Parameters {
		if p.Name == "limit" {
			listed = *p.Schema.Maximum
		}
	}
	return []limit{
		{"MAX_NOTE", "maxNote", "Characters of a note.", *field("TellRequest", "note").MaxLength},
		{"MAX_COUNT", "maxCount", "Trials that one ask may hand out.", *field("AskRequest", "count").Maximum},
		{"MAX_LISTED", "maxListed", "Trials in one answer.", listed},
		{"WORKER_PATTERN", "workerPattern", "What a worker's name looks like.", field("AskRequest", "worker").Pattern},
		{"ASK_SECONDS", "askSeconds", "How long the server may take to answer an ask.", ask.Timeout},
		{"PING_SECONDS", "pingSeconds", "How often a stream of events sends a ping.", listen.Ping},
	}
}
