package study

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzParse: nothing makes Parse panic, every error is complete, and a study that is accepted can be
// used, stored, written again and passes the schema.
func FuzzParse(f *testing.F) {
	for _, pattern := range []string{"testdata/good/*.yaml", "testdata/bad/*.yaml"} {
		for _, raw := range read(f, pattern) {
			f.Add(raw)
		}
	}
	f.Add([]byte(Template(Study{})))
	schema := loadSchema(f)
	f.Fuzz(func(t *testing.T, raw []byte) {
		s, err := Parse(raw, "study.yaml")
		if err != nil {
			checkErrors(t, raw, err)
			return
		}
		if _, err := s.Space(); err != nil {
			t.Fatalf("a study without a space: %v", err)
		}
		checkJSON(t, s)
		if err := schema.check(asJSON(t, raw)); err != nil {
			t.Fatalf("the schema refuses it: %v", err)
		}
		text := Template(*s)
		back, err := Parse([]byte(text), "template.yaml")
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if diff := cmp.Diff(s, back, valueEqual); diff != "" {
			t.Fatalf("(-study +template):\n%s\n%s", diff, text)
		}
	})
}
