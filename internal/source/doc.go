// Package source has the two sources of the trial loop, runner.Source: a store that this process can open, and a server.
package source
