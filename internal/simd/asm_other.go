//go:build !amd64

package simd

func haveAsm() bool { return false }
