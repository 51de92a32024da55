// Package fault is the one vocabulary of errors. An error has a code for programs, a problem and a hint for people,
// and the cause it wraps. A code says whether the study is over, whether to try again, which exit code to end with and
// which HTTP status to answer with: see the table in code.go.
//
// Nobody reads an error's text to find out what it is. Ask CodeOf, or errors.Is with a value that a package exports.
//
// To show an error, ask Details. It returns one Detail for most errors, and one for each mistake in a study file.
//
// Errors about the course of a study, such as BudgetSpent, have no hint of their own. What to do depends on who asks, so
// the command line and the server each add theirs.
package fault
