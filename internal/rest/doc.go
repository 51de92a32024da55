// Package rest says what the rest of a study's money would buy, so that the advisor can tell when to stop.
//
// Beliefs go in, and a forecast of the best value comes out. Forecast simulates the rest of the study many times: a Rehearsal holds what all
// simulations share, and each Walk is one of them.
package rest
