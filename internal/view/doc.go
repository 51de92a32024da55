// Package view shows a run in a terminal. Plain and JSON print it line by line, Live draws it while it goes on, and
// Picture draws what stays on the screen when it has ended.
//
// Nothing here decides anything. A view reads news and records and does not change them, and a run goes on if its view
// fails.
package view
