// Package site makes a website of the Markdown files in the repository. It needs no network, and neither does the website: it can be read
// from a folder.
//
//	outline.go    which pages there are, in which order
//	site.go       Build: from a tree of files to a folder of pages
//	page.go       one page: Markdown to HTML, its headings, its text to search in
//	link.go       where a link leads, in the repository and on the website
//	anchor.go     the names of headings, as GitHub makes them
//	highlight.go  colours in code
//	check.go      Check: links that lead nowhere
package site
