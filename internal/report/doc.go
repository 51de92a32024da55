// Package report draws a study as one self-contained HTML file, and its main charts as pictures.
//
//	report.go      Data, Write
//	page.go        what the page says, in words
//	table.go       the trials
//	scale.go       from data to places on a picture, and ticks
//	svg.go         drawing
//	axes.go        the frame around a chart
//	gauge.go money.go forecast.go slices.go parallel.go importance.go
//	               one chart each
//	png*.go        the same as PNG, by gonum's plot
//
// Everything a study holds may be hostile. Names, values and notes are escaped wherever they are written, and the
// page forbids all scripts but its own.
package report
