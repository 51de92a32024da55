// Package study describes a study: its parameters, its objective, its budget, its trials and where the money went.
//
// Parse reads a study file into a Study. Mistakes in the file are Errors, each with its place and a hint.
//
// Everything that happens to a study is an Event in its log. The log is the truth about trials and money: a Record is
// the sum of the events, and its Ledger is the account of the money. So no acknowledged change can be half lost, and the history of
// every cent can be read.
package study
