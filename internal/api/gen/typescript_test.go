package gen_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// typeScript writes the page's types.
func typeScript(d document) string {
	var w strings.Builder
	w.WriteString("// Generated from the server's OpenAPI document: go generate ./internal/api\n\n")
	for _, l := range d.limits() {
		raw, _ := json.Marshal(l.value)
		fmt.Fprintf(&w, "// %s\nexport const %s = %s;\n", l.about, l.page, raw)
	}
	for _, name := range slices.Sorted(maps.Keys(d.Components.Schemas)) {
		s := d.Components.Schemas[name]
		if len(s.Properties) == 0 {
			fmt.Fprintf(&w, "\nexport type %s = %s;\n", name, tsType(s))
			continue
		}
		fmt.Fprintf(&w, "\nexport interface %s {\n", name)
		for _, field := range slices.Sorted(maps.Keys(s.Properties)) {
			p, mark := s.Properties[field], "?"
			if s.requires(field) {
				mark = ""
			}
			fmt.Fprintf(&w, "  %s%s: %s;", field, mark, tsType(p))
			if p.Description != "" {
				w.WriteString(" // " + p.Description)
			}
			w.WriteString("\n")
		}
		w.WriteString("}\n")
	}
	return w.String()
}

func tsType(s schema) string {
	if name := s.ref(); name != "" {
		return name
	}
	var list []string
	for _, e := range s.Enum {
		raw, _ := json.Marshal(e)
		list = append(list, string(raw))
	}
	for _, one := range s.OneOf {
		list = append(list, tsType(one))
	}
	if len(list) > 0 {
		return strings.Join(list, " | ")
	}
	name, orNull := s.kind()
	switch {
	case name == "integer":
		name = "number"
	case name == "array":
		name = tsType(*s.Items)
		if strings.Contains(name, " ") {
			name = "(" + name + ")"
		}
		name += "[]"
	case name == "object" && s.values() != nil:
		name = "Record<string, " + tsType(*s.values()) + ">"
	case name == "object", name == "":
		name = "unknown"
	}
	if orNull {
		name += " | null"
	}
	return name
}
