// Package report draws a study as one self-contained HTML file, and its main charts as pictures.
//
//	report.go      Data, Write
//	page.go        what the page says, in words
//	html.go        the same as HTML
//	table.go       the trials
//	scale.go       from data to places on a picture, and ticks
//	canvas.go      what is drawn: shapes and their classes
//	svg.go         the same for the page
//	paint.go       the same for a PNG file
//	brush.go write.go
//	               lines and letters as dots
//	axes.go        the frame around a chart
//	gauge.go money.go fan.go learning.go forecast.go slices.go parallel.go importance.go
//	               one chart each
//	png.go         the main charts as files
//
// Everything a study holds may be hostile. Names, values and notes are escaped wherever they are written, and the
// page forbids all scripts but its own.
package report
