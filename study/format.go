package study

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/eke-bo/eke/space"
)

// Each of these writes a part of a study file that reads back as the same.

func formatCost(c Cost) string {
	parts := []string{"source: " + string(c.Source), "unit: " + quoteYAML(c.Unit)}
	if c.Of != "" && c.Of != c.Unit {
		parts = append(parts, "of: "+c.Of)
	}
	if c.Price > 0 {
		parts = append(parts, "price: "+formatNumber(c.Price))
	}
	if c.Rate > 0 {
		parts = append(parts, "rate: "+formatNumber(c.Rate))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func formatPolicy(p Policy) string {
	parts := []string{"name: " + quoteYAML(p.Name)}
	if p.Preset != PresetDefault {
		parts = append(parts, "preset: "+string(p.Preset))
	}
	if len(p.Fantasies) > 0 {
		counts := make([]string, len(p.Fantasies))
		for i, m := range p.Fantasies {
			counts[i] = strconv.Itoa(m)
		}
		parts = append(parts, "fantasies: ["+strings.Join(counts, ", ")+"]")
	}
	if p.Design > 0 {
		parts = append(parts, fmt.Sprintf("design: %d", p.Design))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func formatParam(p space.Param) string {
	parts := []string{"type: " + string(p.Kind)}
	switch p.Kind {
	case space.KindFloat, space.KindInt:
		parts = append(parts, "min: "+formatNumber(p.Min), "max: "+formatNumber(p.Max))
		if p.Step != 0 {
			parts = append(parts, "step: "+formatNumber(p.Step))
		}
		if p.Log {
			parts = append(parts, "log: true")
		}
	case space.KindChoice, space.KindOrdered:
		parts = append(parts, "values: "+formatValues(p.Values))
	case space.KindFixed:
		parts = append(parts, "value: "+formatValue(p.Value))
	}
	if !p.Default.IsZero() {
		parts = append(parts, "default: "+formatValue(p.Default))
	}
	if len(p.When) > 0 {
		conditions := make([]string, len(p.When))
		for i, c := range p.When {
			values := formatValues(c.Values)
			if len(c.Values) == 1 {
				values = formatValue(c.Values[0])
			}
			conditions[i] = quoteYAML(c.Param) + ": " + values
		}
		parts = append(parts, "when: {"+strings.Join(conditions, ", ")+"}")
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func formatSetting(params []space.Param, setting space.Setting) string {
	var parts []string
	for _, p := range params {
		if v, ok := setting[p.Name]; ok {
			parts = append(parts, quoteYAML(p.Name)+": "+formatValue(v))
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// formatNumber writes 1e-5 and 0.001: whichever is shorter.
func formatNumber(x float64) string {
	plain, short := space.Float(x).String(), strings.Replace(strconv.FormatFloat(x, 'e', -1, 64), "e-0", "e-", 1)
	if len(short) < len(plain) {
		return strings.Replace(short, "e+0", "e", 1)
	}
	return plain
}

func formatValues(values []space.Value) string {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = formatValue(v)
	}
	return "[" + strings.Join(list, ", ") + "]"
}

// formatValue keeps the type: 1.0 is a float and 1 an int.
func formatValue(v space.Value) string {
	switch x := v.Any().(type) {
	case string:
		return quoteYAML(x)
	case float64:
		if text := v.String(); strings.ContainsAny(text, ".e") {
			return text
		}
		return v.String() + ".0"
	}
	return v.String()
}

// safeWord matches texts that need no quotes anywhere in YAML; the words that some reader or other takes for a bool
// or for nothing are not among them.
var (
	safeWord   = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_./-]*$`)
	unsafeWord = regexp.MustCompile(`(?i)^(true|false|null|yes|no|on|off|y|n|nan|inf|infinity)$`)
)

// quoteYAML writes a text, with quotes if it needs them.
func quoteYAML(text string) string {
	if safeWord.MatchString(text) && !unsafeWord.MatchString(text) {
		return text
	}
	return quoteText(text)
}

// quoteText writes a text in double quotes. Of all escapes only those are used that every reader of YAML knows.
func quoteText(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range text {
		switch {
		case c == '"' || c == '\\':
			b.WriteString(`\` + string(c))
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\t':
			b.WriteString(`\t`)
		case c < ' ' || (c >= 0x7f && c <= 0xa0) || c == 0x2028 || c == 0x2029 || c == 0xfeff:
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			b.WriteRune(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
