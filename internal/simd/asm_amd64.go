package simd

import "golang.org/x/sys/cpu"

// haveAsm reports whether the CPU has what the assembly uses and the operating
// system keeps the wide registers (x/sys/cpu looks at OSXSAVE for both flags).
func haveAsm() bool { return cpu.X86.HasAVX2 && cpu.X86.HasFMA }
