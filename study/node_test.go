package study

import (
	"strings"
	"testing"
)

// TestPositions: what the library says about places is true, also behind letters of several bytes, in
// blocks, and on lines that a text ends on.
func TestPositions(t *testing.T) {
	texts := []string{"é: {ü: 'x', \"ö\": \"→ →\", z: [1, 2.5, true, ä]}\n\n# comment é\nb:\n  - c\n  -   'd'\n  - e: f\n    g:   [\n      h,\n        \"i\"]\nj: \"k\n  l\"\nm: n # é\no: |\n  p\n  q\nr: s\n"}
	for _, raw := range read(t, "testdata/good/*.yaml") {
		texts = append(texts, string(raw))
	}
	for _, text := range texts {
		r := &reader{lines: strings.Split(text, "\n")}
		root := r.readYAML(text)
		if len(r.errs) > 0 {
			t.Fatal(r.errs)
		}
		count := 0
		root.walk(func(n *node) {
			if n.is == isList || n.is == isMapping {
				return
			}
			count++
			rest := strings.TrimLeft(string([]rune(r.line(n.at.line))[n.at.column-1:]), `'"`)
			first, _, _ := strings.Cut(n.text, " ")
			first, _, _ = strings.Cut(first, "\n")
			if !strings.HasPrefix(rest, first) && !strings.HasPrefix(rest, "|") {
				t.Errorf("%d:%d: %q is not at %q", n.at.line, n.at.column, n.text, rest)
			}
		})
		if count < 5 {
			t.Errorf("only %d values", count)
		}
	}
}

func (n *node) walk(visit func(*node)) {
	visit(n)
	for _, item := range n.items {
		item.walk(visit)
	}
	for _, e := range n.entries {
		e.value.walk(visit)
	}
}

func TestPlainWords(t *testing.T) {
	for text, want := range map[string]content{
		"1e-5": isNumber, "1E5": isNumber, ".5": isNumber, "1.": isNumber, "+3": isNumber, "-0": isNumber, "1e400": isNumber, ".inf": isNumber,
		"-.INF": isNumber, ".nan": isNumber, "99999999999999999999": isNumber,
		"yes": isText, "off": isText, "2h30m": isText, "12:30": isText, "2020-01-01": isText, "1.2.3": isText, "1e": isText, "e5": isText, "inf": isText, "nan": isText,
		"\"5\"": isText, "'true'": isText, "true": isBool, "FALSE": isBool, "~": isNothing, "null": isNothing, "": isNothing,
		"010": broken, "0x1F": broken, "0b1": broken, "0o7": broken, "1_000": broken, "-08": broken, "&a 1": broken, "!!str 1": broken,
	} {
		r := &reader{lines: []string{"a: " + text}}
		root := r.readYAML("a: " + text)
		if root == nil || len(root.entries) != 1 || root.entries[0].value.is != want || (want == broken) != (len(r.errs) == 1) {
			t.Errorf("%q: %+v, want content %d; errors %v", text, root, want, r.errs)
		}
	}
}
