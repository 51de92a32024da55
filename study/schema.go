package study

import _ "embed"

//go:embed schema.json
var schema string

// Schema returns the JSON schema (draft 2020-12) of study files. Editors use it to complete and check them. The schema accepts
// every file that Parse accepts. Parse finds more mistakes, such as a min above its max.
func Schema() []byte { return []byte(schema) }
