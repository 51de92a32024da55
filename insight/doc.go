// Package insight tells what a study has learnt: how value and cost follow each parameter, which parameters matter,
// what two of them do together, and how good the forecasts of past trials were. It asks the models that the next
// trial would be chosen by, and speaks the study's own words.
package insight
