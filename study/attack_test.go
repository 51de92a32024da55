package study

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// attacks are texts of a size that cost a careless reader of YAML memory or time.
func attacks(size int) map[string]string {
	fill := func(piece string) string { return strings.Repeat(piece, size/len(piece)) }
	var keys, indents strings.Builder
	for i := 0; keys.Len() < size; i++ {
		fmt.Fprintf(&keys, "k%d: 1\n", i)
	}
	for i := 0; indents.Len() < size; i++ {
		indents.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return map[string]string{
		"brackets": fill("["), "braces": fill("{"), "both": fill("[{"), "pairs": fill("[]"), "list": "[" + fill("1,") + "]", "keys": keys.String(),
		"indents": indents.String(), "entries": fill("- "), "lines": fill("- 1\n"), "questions": fill("? "), "colons": fill(": "), "quotes": fill(`"`), "single": fill("'"),
		"quoted": fill(`"a" `), "comments": fill("#\n"), "newlines": fill("\n"), "words": fill("a "), "tabs": fill("\t"), "literal": "a: |\n" + fill(" x\n"), "folded": "a: >\n" + fill(" x\n"),
		"documents": fill("---\n"), "ends": fill("...\n"), "anchors": fill("&a "), "aliases": fill("*a "), "tags": fill("!a "), "merges": fill("<<: "), "directives": fill("%a\n"),
		"bombs": "a: &a [x]\n" + fill("b: &b [*a,*a]\n"), "escapes": `"` + fill(`\n`) + `"`, "commas": fill(","), "mapping": "{" + fill("a: 1, ") + "}", "nested keys": fill("a: "), "folded words": "a: " + fill("b\n  "),
		"double lines": `"` + fill("a\n"), "closing": fill("]"), "wide": fill("é"),
	}
}

// mostSpent is how much memory the reading of a file may allocate in all, in MiB. Most of that is free again before it ends.
const mostSpent = 512

// No text costs much memory: neither one of the largest size, nor one that just passes the count of marks.
func TestAttacks(t *testing.T) {
	for _, size := range []int{MaxFile, maxMarks - 100, 2 * maxMarks, 3 * maxMarks, 4 * maxMarks} {
		t.Run(fmt.Sprint(size), func(t *testing.T) { testAttacks(t, size) })
	}
}

func testAttacks(t *testing.T, size int) {
	for name, text := range attacks(size) {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		_, err := Parse([]byte(text[:min(len(text), MaxFile)]), "study.yaml")
		runtime.ReadMemStats(&after)
		if spent := (after.TotalAlloc - before.TotalAlloc) >> 20; err == nil || spent > mostSpent {
			t.Errorf("%s: %d MiB, error: %v", name, spent, err)
		} else if testing.Verbose() {
			t.Logf("%s: %d MiB", name, spent)
		}
	}
}
