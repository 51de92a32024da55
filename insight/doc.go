// Package insight tells what a study has learnt: how value and cost follow each parameter, which parameters matter, what two of
// them do together, and how good the forecasts of past trials were. It uses the models that choose the next trial, and answers in
// the study's parameters and units.
package insight
