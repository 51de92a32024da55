package study

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/eke-bo/eke/space"
)

// beyondSchema lists the mistakes in testdata/bad that a schema cannot see: those that are no YAML, and those
// that depend on more than one value. The schema must see all others.
var beyondSchema = []string{
	"bracket", "key-on-same-line", "no-colon", "not-text", "placeholder-unquoted", "quote-open", "tab",
	"alias", "anchor", "explicit-key", "hex", "merge", "tag", "underscore", "indentation", "duplicate-key", "duplicate-parameter", "two-documents", "octal",
	"empty", // to an editor it is null, or nothing
	"log-from-zero", "min-above-max", "step-unreachable", "values-twice", "per-trial-above-total", "per-trial-above-total-walltime", "policy-fantasies",
	"placeholder-flag", "placeholder-json", "placeholder-open", "placeholder-unknown",
	"values-large", "deadline-zero", "command-block", "program-empty", "placeholder-empty", "program-conditional", "when-circle", "when-float", "when-unknown", "when-unknown-value", "only-fixed", "where-unknown", "where-impossible", "name-collides", "step-float", "when-never",
	"objectives-both", "objectives-limit", "objectives-policy", "objectives-setup", "objective-bounds",
	"limits-parameter", "limits-range", "limits-equal", "slots-engine",
	"changeover-unknown", "changeover-fixed", "changeover-per-unit", "changeover-engine", "changeover-setup", "changeover-initial", "changeover-initial-alone",
	"kubernetes-options", "kubernetes-image", "prices-slurm", "prices-nothing", "prices-and-price",
	"fidelity-order", "fidelity-range", "fidelity-parameter", "fidelity-variable", "fidelity-start-from",
}

func TestSchemaAgreesWithParse(t *testing.T) {
	s := loadSchema(t)
	for file, raw := range read(t, "testdata/good/*.yaml") {
		if err := s.check(asJSON(t, raw)); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	if err := s.check(asJSON(t, []byte(Template(Study{})))); err != nil {
		t.Errorf("template: %v", err)
	}
	for file, raw := range read(t, "testdata/bad/*.yaml") {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		if slices.Contains(beyondSchema, name) {
			continue
		}
		if err := s.check(asJSON(t, raw)); err == nil {
			t.Errorf("%s: the schema sees nothing wrong", file)
		}
	}
}

// TestSchemaHasTheSameWords compares the schema with the lists that Parse works from.
func TestSchemaHasTheSameWords(t *testing.T) {
	s := loadSchema(t)
	for path, want := range map[string][]string{
		"properties":                      studyKeys,
		"properties/objective/properties": objectiveKeys,
		"properties/objectives/additionalProperties/properties":                            aimKeys,
		"properties/cost/properties":                                                       costKeys,
		"properties/limits/additionalProperties/anyOf/1/properties":                        limitKeys,
		"properties/limits/additionalProperties/anyOf/1/properties/exceeded_by/properties": exceededKeys,
		"properties/budget/properties":                                                     budgetKeys,
		"properties/policy/properties":                                                     policyKeys,
		"$defs/parameter/properties":                                                       parameterKeys,
		"properties/stop/anyOf/1/properties":                                               stopKeys,
		"properties/fidelity/properties":                                                   fidelityKeys,
		"properties/fidelity/properties/name/not/enum":                                     places,
		"properties/objective/properties/goal/enum":                                        goals,
		"properties/cost/properties/source/enum":                                           sources,
		"properties/policy/properties/preset/enum":                                         presets,
		"$defs/parameter/properties/type/enum":                                             space.Kinds(),
		"properties/parameters/propertyNames/not/enum":                                     places,
		"properties/slots/items/properties":                                                slotKeys,
		"properties/gpus/enum":                                                             gpuWords,
		"properties/protocol/enum":                                                         protocols,
		"properties/changeover/items/properties":                                           changeoverKeys,
		"properties/changeover/items/properties/down/properties":                           downKeys,
	} {
		var got []string
		switch x := s.at(path).(type) {
		case map[string]any:
			got = slices.Collect(maps.Keys(x))
		case []any:
			for _, v := range x {
				got = append(got, v.(string))
			}
		}
		want = slices.Clone(want)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	names := s.at("properties/policy/properties/name/anyOf").([]any)
	if got := fmt.Sprint(names[0].(map[string]any)["enum"]); got != fmt.Sprint(PolicyNames()) {
		t.Errorf("policies: %s, want %v", got, PolicyNames())
	}
	for path, want := range map[string]any{
		"properties/name/pattern":                              studyName.String(),
		"$defs/duration/pattern":                               goDuration.String(),
		"$defs/amount/anyOf/0/maximum":                         MaxAmount,
		"properties/seed/maximum":                              float64(maxSeed),
		"properties/fidelity/properties/steps/maxItems":        float64(mostFidelities),
		"properties/parallel/maximum":                          float64(maxParallel),
		"properties/slots/maxItems":                            float64(maxParallel),
		"properties/policy/properties/design/maximum":          float64(maxDesign),
		"properties/policy/properties/fantasies/maxItems":      float64(maxSteps),
		"properties/policy/properties/fantasies/items/maximum": float64(maxFantasies),
		"properties/policy/properties/name/anyOf/1/pattern":    pathPolicy.String(),
		"properties/policy/properties/name/default":            defaultPolicy,
		"properties/objective/properties/name/default":         defaultObjective,
		"properties/parallel/default":                          float64(defaultParallel),
		"properties/env/propertyNames/pattern":                 envName.String(),
		"properties/cost/then/properties/unit/const":           walltimeUnit,
		"properties/cost/if/properties/source/const":           string(Walltime),
		"then/properties/budget/properties/total/type":         "number",
		"if/properties/cost/properties/source/const":           string(Reported),
		"properties/policy/properties/preset/default":          string(PresetDefault),
	} {
		if got := s.at(path); got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
}

// TestSchemaIsOurs: who changes the bytes changes a copy.
func TestSchemaIsOurs(t *testing.T) {
	Schema()[0] = 'x'
	if Schema()[0] != '{' {
		t.Error("Schema returns its own memory")
	}
}

// TestValidator keeps the validator below from accepting everything.
func TestValidator(t *testing.T) {
	for text, refuses := range map[string]string{
		`{"type":"integer"}`: `1.5`, `{"type":["string","null"]}`: `true`, `{"enum":[1,"a"]}`: `"b"`, `{"const":true}`: `false`,
		`{"required":["a"]}`: `{"b":1}`, `{"properties":{"a":false}}`: `{"a":1}`, `{"additionalProperties":false,"properties":{"a":true}}`: `{"b":1}`,
		`{"items":{"type":"string"}}`: `["a",1]`, `{"minItems":1}`: `[]`, `{"maxItems":1}`: `[1,2]`, `{"minProperties":1}`: `{}`,
		`{"minimum":1}`: `0`, `{"maximum":1}`: `2`, `{"exclusiveMinimum":0}`: `0`, `{"pattern":"^a$"}`: `"b"`, `{"not":{"type":"string"}}`: `"a"`,
		`{"anyOf":[{"const":1},{"const":2}]}`: `3`, `{"allOf":[true,{"const":2}]}`: `3`, `{"$ref":"#/$defs/a","$defs":{"a":{"const":1}}}`: `2`,
		`{"if":{"const":1},"then":false}`: `1`, `{"if":{"const":1},"else":false}`: `2`, `{"propertyNames":{"pattern":"a"}}`: `{"b":1}`,
	} {
		var s schemaFile
		var value any
		if json.Unmarshal([]byte(text), &s.root) != nil || json.Unmarshal([]byte(refuses), &value) != nil {
			t.Fatal(text)
		}
		if s.check(value) == nil {
			t.Errorf("%s accepts %s", text, refuses)
		}
	}
}

// schemaFile validates with the part of JSON schema that ours uses; any other keyword is an error.
type schemaFile struct{ root any }

func loadSchema(t testing.TB) *schemaFile {
	t.Helper()
	s := new(schemaFile)
	if err := json.Unmarshal(Schema(), &s.root); err != nil {
		t.Fatal(err)
	}
	return s
}

// at follows a path of keys and list indices.
func (s *schemaFile) at(path string) any {
	here := s.root
	for key := range strings.SplitSeq(path, "/") {
		switch x := here.(type) {
		case map[string]any:
			here = x[key]
		case []any:
			i, _ := strconv.Atoi(key)
			here = x[i]
		}
	}
	return here
}

func (s *schemaFile) check(value any) error { return s.visit(s.root, value, "") }

func (s *schemaFile) visit(schema, value any, path string) error {
	if pass, ok := schema.(bool); ok {
		if !pass {
			return fmt.Errorf("%s may not be given", path)
		}
		return nil
	}
	rules := schema.(map[string]any)
	for keyword, rule := range rules {
		if err := s.keyword(keyword, rule, rules, value, path); err != nil {
			return err
		}
	}
	return nil
}

func (s *schemaFile) keyword(keyword string, rule any, rules map[string]any, value any, path string) error {
	object, isObject := value.(map[string]any)
	list, isList := value.([]any)
	number, isNumber := value.(float64)
	text, isText := value.(string)
	bad := func(when bool) error {
		if when {
			return fmt.Errorf("%s: %v breaks %s %v", path, value, keyword, rule)
		}
		return nil
	}
	passes := func(schema any) bool { return s.visit(schema, value, path) == nil }
	switch keyword {
	case "$schema", "$id", "$defs", "title", "description", "default", "then", "else":
	case "$ref":
		return s.visit(s.at(strings.TrimPrefix(rule.(string), "#/")), value, path)
	case "type":
		names, several := rule.([]any)
		if !several {
			names = []any{rule}
		}
		return bad(!slices.ContainsFunc(names, func(name any) bool { return hasType(value, name.(string)) }))
	case "enum":
		return bad(!slices.Contains(rule.([]any), value))
	case "const":
		return bad(value != rule)
	case "pattern":
		return bad(isText && !regexp.MustCompile(rule.(string)).MatchString(text))
	case "minimum":
		return bad(isNumber && number < rule.(float64))
	case "maximum":
		return bad(isNumber && number > rule.(float64))
	case "exclusiveMinimum":
		return bad(isNumber && number <= rule.(float64))
	case "minItems":
		return bad(isList && len(list) < int(rule.(float64)))
	case "maxItems":
		return bad(isList && len(list) > int(rule.(float64)))
	case "minProperties":
		return bad(isObject && len(object) < int(rule.(float64)))
	case "maxProperties":
		return bad(isObject && len(object) > int(rule.(float64)))
	case "not":
		return bad(passes(rule))
	case "anyOf":
		return bad(!slices.ContainsFunc(rule.([]any), passes))
	case "allOf":
		for _, schema := range rule.([]any) {
			if err := s.visit(schema, value, path); err != nil {
				return err
			}
		}
	case "if":
		branch := "else"
		if passes(rule) {
			branch = "then"
		}
		if schema, given := rules[branch]; given {
			return s.visit(schema, value, path)
		}
	case "required":
		for _, key := range rule.([]any) {
			if _, given := object[key.(string)]; isObject && !given {
				return bad(true)
			}
		}
	case "items":
		for i, item := range list {
			if err := s.visit(rule, item, fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
	case "properties":
		for key, schema := range rule.(map[string]any) {
			if v, given := object[key]; given {
				if err := s.visit(schema, v, join(path, key)); err != nil {
					return err
				}
			}
		}
	case "additionalProperties":
		known, _ := rules["properties"].(map[string]any)
		for key, v := range object {
			if _, listed := known[key]; !listed {
				if err := s.visit(rule, v, join(path, key)); err != nil {
					return err
				}
			}
		}
	case "propertyNames":
		for key := range object {
			if err := s.visit(rule, key, join(path, key)); err != nil {
				return err
			}
		}
	default:
		return fmt.Errorf("the validator does not know %s", keyword)
	}
	return nil
}

func hasType(value any, name string) bool {
	switch v := value.(type) {
	case nil:
		return name == "null"
	case string:
		return name == "string"
	case bool:
		return name == "boolean"
	case float64:
		return (name == "number" && !math.IsInf(v, 0) && v == v) || (name == "integer" && v == math.Trunc(v))
	case []any:
		return name == "array"
	}
	return name == "object"
}

// asJSON reads YAML as an editor does before it looks at the schema.
func asJSON(t testing.TB, raw []byte) any {
	t.Helper()
	if !utf8.Valid(raw) {
		t.Fatal("no UTF-8")
	}
	text := strings.NewReplacer("\ufeff", "", "\r\n", "\n", "\r", "\n").Replace(string(raw))
	r := &reader{lines: strings.Split(text, "\n")}
	root := r.readYAML(text)
	if len(r.errs) > 0 {
		t.Fatal(r.errs)
	}
	return root.asJSON()
}

func (n *node) asJSON() any {
	switch n.is {
	case isText:
		return n.text
	case isBool:
		return n.text == "true"
	case isNumber:
		x, err := strconv.ParseFloat(n.text, 64)
		if err != nil {
			return math.Inf(1)
		}
		return x
	case isList:
		list := make([]any, len(n.items))
		for i, item := range n.items {
			list[i] = item.asJSON()
		}
		return list
	case isMapping:
		object := map[string]any{}
		for _, e := range n.entries {
			object[e.key] = e.value.asJSON()
		}
		return object
	}
	return nil
}
