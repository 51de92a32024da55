// Package storetest tests what every store must do. Each store runs the same tests.
package storetest
