package server

import (
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

// The types of other rooms know nothing of OpenAPI. Here stands how they are described: what is a string there may be one of a few
// words, and what writes its JSON by itself has a form of its own.

const schemaPrefix = "#/components/schemas/"

// Lists that are sent are never null.
func init() { huma.DefaultArrayNullable = false }

func newSchemas() huma.Registry {
	r := huma.NewMapRegistry(schemaPrefix, huma.DefaultSchemaNamer)
	r.RegisterTypeAlias(reflect.TypeFor[study.Study](), reflect.TypeFor[api.Definition]())
	r.RegisterTypeAlias(reflect.TypeFor[space.Value](), reflect.TypeFor[valueSchema]())
	r.RegisterTypeAlias(reflect.TypeFor[space.Setting](), reflect.TypeFor[settingSchema]())
	r.RegisterTypeAlias(reflect.TypeFor[fault.Code](), reflect.TypeFor[codeSchema]())
	r.RegisterTypeAlias(reflect.TypeFor[study.State](), reflect.TypeFor[stateSchema]())
	r.RegisterTypeAlias(reflect.TypeFor[study.Goal](), reflect.TypeFor[goalSchema]())
	r.RegisterTypeAlias(reflect.TypeFor[study.Source](), reflect.TypeFor[sourceSchema]())
	r.RegisterTypeAlias(reflect.TypeFor[study.Kind](), reflect.TypeFor[eventKindSchema]())
	r.RegisterTypeAlias(reflect.TypeFor[space.Kind](), reflect.TypeFor[kindSchema]())
	r.RegisterTypeAlias(reflect.TypeFor[insight.State](), reflect.TypeFor[readySchema]())
	r.RegisterTypeAlias(reflect.TypeFor[insight.Direction](), reflect.TypeFor[directionSchema]())
	return r
}

type (
	valueSchema     struct{}
	settingSchema   struct{}
	codeSchema      string
	stateSchema     string
	goalSchema      string
	sourceSchema    string
	eventKindSchema string
	kindSchema      string
	readySchema     string
	directionSchema string
)

func (valueSchema) Schema(r huma.Registry) *huma.Schema {
	return named(r, "Value", &huma.Schema{OneOf: []*huma.Schema{{Type: huma.TypeString}, {Type: huma.TypeNumber}, {Type: huma.TypeBoolean}}})
}

func (settingSchema) Schema(r huma.Registry) *huma.Schema {
	return named(r, "Setting", &huma.Schema{Type: huma.TypeObject, AdditionalProperties: valueSchema{}.Schema(r)})
}

func (codeSchema) Schema(r huma.Registry) *huma.Schema {
	s := oneOf(r, "Code", api.Codes...)
	over := slices.DeleteFunc(slices.Clone(api.Codes), func(c fault.Code) bool { return !c.Over() })
	r.Map()["Code"].Extensions = map[string]any{"x-over": over}
	return s
}

func (stateSchema) Schema(r huma.Registry) *huma.Schema {
	return oneOf(r, "State", study.Pending, study.Running, study.Done, study.Failed, study.Cut, study.Abandoned)
}

func (goalSchema) Schema(r huma.Registry) *huma.Schema {
	return oneOf(r, "Goal", study.Minimize, study.Maximize)
}

func (sourceSchema) Schema(r huma.Registry) *huma.Schema {
	return oneOf(r, "Source", study.Reported, study.Walltime)
}

func (eventKindSchema) Schema(r huma.Registry) *huma.Schema {
	return oneOf(r, "EventKind", study.EventAsked, study.EventStarted, study.EventExtended, study.EventFinished, study.EventBudget, study.EventClosed, study.EventDefined, study.EventKnown)
}

func (kindSchema) Schema(r huma.Registry) *huma.Schema {
	return oneOf(r, "Kind", space.KindFloat, space.KindInt, space.KindChoice, space.KindOrdered, space.KindBool, space.KindFixed)
}

func (readySchema) Schema(r huma.Registry) *huma.Schema {
	return oneOf(r, "InsightState", insight.Ready, insight.NotEnough)
}

func (directionSchema) Schema(r huma.Registry) *huma.Schema {
	return oneOf(r, "Direction", insight.Rises, insight.Falls, insight.Peaks, insight.Dips, insight.Flat, insight.Varies)
}

// oneOf describes a string that is one of a few words.
func oneOf[T ~string](r huma.Registry, name string, words ...T) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeString}
	for _, w := range words {
		s.Enum = append(s.Enum, string(w))
	}
	return named(r, name, s)
}

// named puts a schema among those that have a name, and refers to it.
func named(r huma.Registry, name string, s *huma.Schema) *huma.Schema {
	if r.Map()[name] == nil {
		s.PrecomputeMessages()
		r.Map()[name] = s
	}
	return &huma.Schema{Ref: schemaPrefix + name}
}

// completed says what huma cannot: which objects may be null, and that the reasons for a trial, which are kept as JSON, have a type.
func completed(r huma.Registry) {
	nullable(r)
	for _, name := range []string{"Trial", "Lease"} {
		why := r.Map()[name].Properties["why"]
		*why = huma.Schema{Ref: schemaPrefix + "Why", Description: why.Description}
	}
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
