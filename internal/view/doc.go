// Package view shows a run in a terminal. Plain and JSON print a line for each event. Live redraws the run as it goes. Picture is
// what stays on the screen at the end.
//
// Nothing here decides anything. A view reads news and records and does not change them, and a run goes on if its view
// fails.
package view
