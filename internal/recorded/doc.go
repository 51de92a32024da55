// Package recorded is for tests: it reads what clients and servers of an earlier version said to each other, and answers as that server did.
package recorded
