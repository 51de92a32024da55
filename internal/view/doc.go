// Package view is how a run looks in a terminal: Plain and JSON tell it line by line, Live draws it while it goes on,
// and Picture is what is left on the screen when it has ended.
//
// Nothing here decides anything. A view is handed news and records, which it does not change, and a run goes on
// whatever becomes of its view.
package view
