package server

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/eke-bo/eke/insight"
	"github.com/eke-bo/eke/internal/api"
	"github.com/eke-bo/eke/internal/fault"
	"github.com/eke-bo/eke/space"
	"github.com/eke-bo/eke/study"
)

// The types of other packages know nothing of OpenAPI. They are described here: what is a string there may be one of a few
// words, and what writes its JSON by itself has a form of its own.

const schemaPrefix = "#/components/schemas/"

// Lists that are sent are never null.
func init() { huma.DefaultArrayNullable = false }

func newSchemas() huma.Registry {
	r := huma.NewMapRegistry(schemaPrefix, huma.DefaultSchemaNamer)
	r.RegisterTypeAlias(reflect.TypeFor[study.Study](), reflect.TypeFor[api.Definition]())
	r.RegisterTypeAlias(reflect.TypeFor[space.Value](), reflect.TypeFor[valueSchema]())
	r.RegisterTypeAlias(reflect.TypeFor[space.Setting](), reflect.TypeFor[settingSchema]())
	r.RegisterTypeAlias(reflect.TypeFor[study.Stop](), reflect.TypeFor[stopSchema]())
	r.RegisterTypeAlias(reflect.TypeFor[study.Step](), reflect.TypeFor[api.TrialStep]())
	for _, e := range enums {
		r.RegisterTypeAlias(e.of, e.as)
	}
	return r
}

type (
	valueSchema   struct{}
	settingSchema struct{}
	stopSchema    struct{}
)

func (valueSchema) Schema(r huma.Registry) *huma.Schema {
	return named(r, "Value", &huma.Schema{OneOf: []*huma.Schema{{Type: huma.TypeString}, {Type: huma.TypeNumber}, {Type: huma.TypeBoolean}}})
}

func (settingSchema) Schema(r huma.Registry) *huma.Schema {
	return named(r, "Setting", &huma.Schema{Type: huma.TypeObject, AdditionalProperties: valueSchema{}.Schema(r)})
}

func (stopSchema) Schema(r huma.Registry) *huma.Schema {
	gain := &huma.Schema{Type: huma.TypeNumber, Description: "The least that the whole rest has to be expected to gain, in the units of the objective."}
	return named(r, "Stop", &huma.Schema{OneOf: []*huma.Schema{{Type: huma.TypeString, Enum: []any{"never"}},
		{Type: huma.TypeObject, Properties: map[string]*huma.Schema{"gain": gain}, Required: []string{"gain"}, AdditionalProperties: false}}})
}

// enum is a type of strings that are one of a few words.
type enum struct {
	of, as reflect.Type // the type, and the one that describes it
	name   string
	words  []any
}

var enums = []enum{
	enumOf("Code", api.Codes...),
	enumOf("State", study.Pending, study.Running, study.Done, study.Failed, study.Cut, study.StoppedEarly, study.Abandoned),
	enumOf("Goal", study.Minimize, study.Maximize),
	enumOf("Source", study.Sources()...),
	enumOf("EventKind", study.Kinds()...),
	enumOf("Kind", space.KindFloat, space.KindInt, space.KindChoice, space.KindOrdered, space.KindBool, space.KindFixed),
	enumOf("InsightState", insight.Ready, insight.NotEnough),
	enumOf("Direction", insight.Rises, insight.Falls, insight.Peaks, insight.Dips, insight.Flat, insight.Varies),
}

func enumOf[T ~string](name string, words ...T) enum {
	e := enum{of: reflect.TypeFor[T](), as: reflect.TypeFor[enumSchema[T]](), name: name}
	for _, w := range words {
		e.words = append(e.words, string(w))
	}
	return e
}

// enumSchema describes the type T, which is among enums.
type enumSchema[T ~string] string

func (enumSchema[T]) Schema(r huma.Registry) *huma.Schema {
	e := enums[slices.IndexFunc(enums, func(e enum) bool { return e.of == reflect.TypeFor[T]() })]
	return named(r, e.name, &huma.Schema{Type: huma.TypeString, Enum: e.words})
}

// named puts a schema among those that have a name, and refers to it.
func named(r huma.Registry, name string, s *huma.Schema) *huma.Schema {
	if r.Map()[name] == nil {
		s.PrecomputeMessages()
		r.Map()[name] = s
	}
	return &huma.Schema{Ref: schemaPrefix + name}
}

// completed says what huma cannot: which objects may be null, which codes mean that the study is over, and that the reasons for a
// trial, which are kept as JSON, have a type.
func completed(r huma.Registry) {
	nullable(r)
	over := slices.DeleteFunc(slices.Clone(api.Codes), func(c fault.Code) bool { return !c.Over() })
	r.Map()["Code"].Extensions = map[string]any{"x-over": over}
	for _, name := range []string{"Trial", "Lease"} {
		fields := r.Map()[name].Properties
		for field, words := range api.TrialWords {
			fields[field].Description = words
		}
		*fields["why"] = huma.Schema{Ref: schemaPrefix + "Why", Description: api.TrialWords["why"]}
		for _, kept := range []string{"ask_key", "finish_key", "plan"} { // see api.NewTrial
			delete(fields, kept)
		}
	}
	delete(r.Map()["Finished"].Properties, "cost") // which is not in the log
}

// nullable lets fields that are pointers to structs, and always sent, be null. huma can say so of numbers only.
func nullable(r huma.Registry) {
	for name, s := range r.Map() {
		t := r.TypeFromRef(schemaPrefix + name)
		if t == nil {
			continue
		}
		for _, f := range reflect.VisibleFields(t) {
			field, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
			p := s.Properties[field]
			if p == nil || p.Ref == "" || f.Type.Kind() != reflect.Pointer || rest != "" || f.Type == reflect.TypeFor[*study.Study]() {
				continue
			}
			s.Properties[field] = &huma.Schema{OneOf: []*huma.Schema{{Ref: p.Ref}, {Type: "null"}}, Description: p.Description}
		}
	}
}

// A body of a megabyte may cost hundreds once it is read: 300 bytes for each {"":0}. So its values are counted before, and only a few large
// bodies are read at once. Package study does the same for YAML.
const (
	maxDepth      = 32
	maxValues     = 100_000 // 10,000 results with eight parameters each
	maxContainers = 25_000

	// maxAskBody is for requests that may wait long: their bodies must not keep others waiting.
	maxAskBody = 16 << 10
)

// readJSON is json.Unmarshal for a text that may be meant to do harm.
func readJSON(raw []byte, into any) error {
	if !bounded(raw) {
		return errTooComplex
	}
	return json.Unmarshal(raw, into)
}

var errTooComplex = api.NewProblem(fault.TooLarge, "send less at once", "the body has too many values, or they are nested too deep")

// bounded reports whether a JSON text has a reasonable number of values. It allocates nothing. A text that is not JSON may pass, and will
// be refused by its reader.
func bounded(raw []byte) bool {
	depth, values, containers := 0, 1, 0
	quoted, escaped := false, false
	for _, c := range raw {
		switch {
		case escaped:
			escaped = false
		case quoted:
			escaped, quoted = c == '\\', c != '"'
		case c == '"':
			quoted = true
		case c == '[' || c == '{':
			depth++
			containers++
			values++
		case c == ']' || c == '}':
			depth--
		case c == ',':
			values++
		}
		if depth > maxDepth || values > maxValues || containers > maxContainers {
			return false
		}
	}
	return true
}

// jsonFormat is how huma reads and writes JSON.
func jsonFormat() huma.Format {
	return huma.Format{Marshal: huma.DefaultJSONFormat.Marshal, Unmarshal: readJSON}
}
