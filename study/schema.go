package study

import (
	_ "embed"
	"slices"
)

//go:embed schema.json
var schema []byte

// Schema returns the JSON schema (draft 2020-12) of study files, by which editors complete and check
// them. It accepts every file that Parse accepts; Parse sees more, such as a min above its max.
func Schema() []byte { return slices.Clone(schema) }
