//go:build unix && !linux

package evaluator

func living(int) int { return 1 }
