// Package say writes for people: numbers, money, durations, settings, reasons, expectations and the course of a study. The
// terminal, the report, the page and every message use it, so that the same amount looks the same everywhere. JSON
// and CSV do not use it: they hold raw numbers.
//
// The page is written in TypeScript. Its lib/format.ts, lib/words.ts and lib/course.ts follow the same rules, and both
// sides are tested against testdata/examples.json.
package say
