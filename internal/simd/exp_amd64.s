#include "textflag.h"
#include "lanes_amd64.h"
#include "exp_amd64.h"

// The constants of exp_amd64.h, in the order of its names.
LANES(·expTable, 0, $0x3ff71547652b82fe) // 1/ln 2
LANES(·expTable, 32, $0x3fe62e42fefa39ef) // ln 2, rounded
LANES(·expTable, 64, $0x3c7abc9e3b39803f) // what the rounding lost
LANES(·expTable, 96, $0x3ff0000000000000) // 1
LANES(·expTable, 128, $0x3fe000000000000a) // q0 = 0.50000000000000111
LANES(·expTable, 160, $0x3fc55555555554fa) // q1 = 0.16666666666666413
LANES(·expTable, 192, $0x3fa555555555087c) // q2 = 0.041666666666530155
LANES(·expTable, 224, $0x3f81111111127be5) // q3 = 0.0083333333334944613
LANES(·expTable, 256, $0x3f56c16c1842a11d) // q4 = 0.0013888888943630114
LANES(·expTable, 288, $0x3f2a01a012a57b51) // q5 = 0.00019841269506578688
LANES(·expTable, 320, $0x3efa0199a0c677ac) // q6 = 2.480149309890655e-05
LANES(·expTable, 352, $0x3ec71df2552390c2) // q7 = 2.7557586373840165e-06
LANES(·expTable, 384, $0x3e928ad72cc30daa) // q8 = 2.7630248379211441e-07
LANES(·expTable, 416, $0x3e5ad7f6f0799ee2) // q9 = 2.5000061602835666e-08
LANES(·expTable, 448, $1023) // exponent bias, an integer
GLOBL ·expTable(SB), RODATA|NOPTR, $480

// Beyond these bounds exp is +Inf and 0, so that the argument can be cut to
// them: e^710 > MaxFloat64, and e^−746 is below half the smallest number.
LANES(expBounds<>, 0, $710.0)
LANES(expBounds<>, 32, $-746.0)
GLOBL expBounds<>(SB), RODATA|NOPTR, $64

// CLAMP cuts Y0 to the bounds. VMINPD and VMAXPD return the operand written
// first when one is NaN: a NaN in Y0 stays.
#define CLAMP \
	VMINPD Y0, Y14, Y0; \
	VMAXPD Y0, Y15, Y0

// func expAsm(dst, x []float64)
//	SI, DI    source and destination, moving
//	CX        elements left
//	Y0–Y9     EXP
//	Y14, Y15  the bounds
TEXT ·expAsm(SB), NOSPLIT, $0-48
	MOVQ    dst_base+0(FP), DI
	MOVQ    x_base+24(FP), SI
	MOVQ    x_len+32(FP), CX
	VMOVUPD expBounds<>+0(SB), Y14
	VMOVUPD expBounds<>+32(SB), Y15
	SUBQ    $4, CX
	JLT     under4

loop4:
	VMOVUPD (SI), Y0
	CLAMP
	EXP
	VMOVUPD Y0, (DI)
	ADDQ    $32, SI
	ADDQ    $32, DI
	SUBQ    $4, CX
	JGE     loop4

under4:
	ADDQ $4, CX
	JEQ  done
	TAILMASK(CX, AX, Y13)
	VMASKMOVPD (SI), Y13, Y0
	CLAMP
	EXP
	VMASKMOVPD Y0, Y13, (DI)

done:
	VZEROUPPER
	RET
