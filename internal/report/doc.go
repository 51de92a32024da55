// Package report draws a study as one self-contained HTML file, and its main charts as pictures.
//
//	report.go      Data; Write: the page; PNGs: the main charts as files
//	page.go        what the page says, in words
//	html.go        the same as HTML, with the table of trials
//	money.go       charts of values over money, and of the budget
//	forecast.go    charts of forecasts, and of learning curves
//	front.go       charts of the front of several objectives
//	metrics.go     charts of the value against other numbers that trials reported
//	parameters.go  charts of parameters: importance, slices, parallel lines
//	scale.go       from data to places on a picture; the frame around a chart
//	canvas.go      shapes and their classes; as SVG for the page
//	paint.go       the same shapes as the dots of a PNG file
//
// Everything a study holds may be hostile. Names, values and notes are escaped wherever they are written, and the
// page forbids all scripts but its own.
package report
