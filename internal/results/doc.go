// Package results reads results that were obtained elsewhere, and fits them to a study.
//
// A file becomes a Table, whatever its form: CSV, JSON, an export of eke, an Optuna database or an Optuna journal. Match finds out which
// column is which parameter, the value and the cost, and makes a result of each row. A row that the study does not allow is refused,
// with the reason.
package results
