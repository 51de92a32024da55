//go:build !linux

package sqlite

// networkOf names the network file system that a folder is on. On this system nobody can tell.
var networkOf = func(string) string { return "" }
