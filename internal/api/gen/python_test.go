package gen_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// python writes the Python client's types, codes and limits.
func python(d document) string {
	var w strings.Builder
	w.WriteString(`# Generated from the server's OpenAPI document: go generate ./internal/api
"""What the server sends and accepts: its types, codes and limits."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union

`)
	for _, l := range d.limits() {
		raw, _ := json.Marshal(l.value)
		fmt.Fprintf(&w, "%s = %s\n\"\"\"%s\"\"\"\n\n", l.python, raw, l.about)
	}
	codes := d.Components.Schemas["Code"]
	fmt.Fprintf(&w, "CODES = (%s)\n\"\"\"What an error may be.\"\"\"\n\n", quoted(codes.Enum))
	fmt.Fprintf(&w, "OVER = (%s)\n\"\"\"Codes after which a study hands out no more trials.\"\"\"\n", quoted(codes.Over))
	for _, name := range slices.Sorted(maps.Keys(d.Components.Schemas)) { // unions first: unlike classes, they are evaluated at once
		if s := d.Components.Schemas[name]; len(s.Properties) == 0 && s.values() == nil {
			fmt.Fprintf(&w, "\n%s = %s\n", name, pyType(s))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.Components.Schemas)) {
		if s := d.Components.Schemas[name]; s.values() != nil {
			fmt.Fprintf(&w, "\n%s = %s\n", name, pyType(s))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.Components.Schemas)) {
		if s := d.Components.Schemas[name]; len(s.Properties) > 0 {
			writeClass(&w, name, s)
		}
	}
	return w.String()
}

// pyWords are words of Python's own, which no class can have as a field.
var pyWords = []string{"and", "as", "class", "def", "del", "for", "from", "global", "if", "import", "in", "is", "not", "or", "pass", "return", "try", "while", "with", "yield"}

// writeClass writes a TypedDict. Pythons before 3.11 cannot mark single fields as optional, so those that are have a class of
// their own. So have optional fields that are words of Python's own, which only a call can name.
func writeClass(w *strings.Builder, name string, s schema) {
	var always, sometimes, words []string
	for _, field := range slices.Sorted(maps.Keys(s.Properties)) {
		switch {
		case s.requires(field):
			always = append(always, field)
		case slices.Contains(pyWords, field):
			words = append(words, fmt.Sprintf("%q: %q", field, pyType(s.Properties[field])))
		default:
			sometimes = append(sometimes, field)
		}
	}
	write := func(head string, fields []string) {
		fmt.Fprintf(w, "\n\n%s\n", head)
		if len(fields) == 0 {
			fmt.Fprintf(w, "    pass\n")
		}
		for _, field := range fields {
			p := s.Properties[field]
			fmt.Fprintf(w, "    %s: %s\n", field, pyType(p))
			if p.Description != "" {
				fmt.Fprintf(w, "    \"\"\"%s\"\"\"\n", p.Description)
			}
		}
	}
	switch {
	case len(words) > 0:
		write("class _"+name+"(TypedDict):", always)
		fmt.Fprintf(w, "\n\n_%sWords = TypedDict(\"_%sWords\", {%s}, total=False)\n", name, name, strings.Join(words, ", "))
		write("class "+name+"(_"+name+", _"+name+"Words, total=False):", sometimes)
	case len(sometimes) == 0:
		write("class "+name+"(TypedDict):", always)
	case len(always) == 0:
		write("class "+name+"(TypedDict, total=False):", sometimes)
	default:
		write("class _"+name+"(TypedDict):", always)
		write("class "+name+"(_"+name+", total=False):", sometimes)
	}
}

func pyType(s schema) string {
	if name := s.ref(); name != "" {
		return name
	}
	if len(s.Enum) > 0 {
		return "Literal[" + quoted(s.Enum) + "]"
	}
	if len(s.OneOf) == 2 && s.OneOf[1].Type == "null" {
		return "Optional[" + pyType(s.OneOf[0]) + "]"
	}
	if len(s.OneOf) > 0 {
		var list []string
		for _, one := range s.OneOf {
			list = append(list, pyType(one))
		}
		return "Union[" + strings.Join(list, ", ") + "]"
	}
	name, orNull := s.kind()
	switch {
	case name == "array":
		name = "List[" + pyType(*s.Items) + "]"
	case name == "object" && s.values() != nil:
		name = "Dict[str, " + pyType(*s.values()) + "]"
	default:
		name = map[string]string{"string": "str", "integer": "int", "number": "float", "boolean": "bool", "object": "Dict[str, Any]", "": "Any"}[name]
	}
	if orNull {
		name = "Optional[" + name + "]"
	}
	return name
}

func quoted[T any](list []T) string {
	texts := make([]string, len(list))
	for i, e := range list {
		texts[i] = fmt.Sprintf("%q", fmt.Sprint(e))
	}
	return strings.Join(texts, ", ")
}
