// Package site makes a website of the Markdown files in the repository. It needs no network, and neither does the website: it can be read
// from a folder.
//
//	site.go  Build: from a tree of files to a folder of pages; Check: links that lead nowhere
//	page.go  one page: Markdown to HTML, its headings, its text to search in; which pages there are, in which order
//	link.go  where a link leads, in the repository and on the website; the names of headings, as GitHub makes them
package site
