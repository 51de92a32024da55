#include "textflag.h"
#include "lanes_amd64.h"
#include "exp_amd64.h"

#define FIVE  maternTable<>+0(SB)
#define CAP   maternTable<>+32(SB)
#define THIRD maternTable<>+64(SB)
#define FLUSH maternTable<>+96(SB)

LANES(maternTable<>, 0, $5.0)
LANES(maternTable<>, 32, $640000.0) // maternCap
LANES(maternTable<>, 64, $0.33333333333333333)
LANES(maternTable<>, 96, $22500.0) // maternFlush
GLOBL maternTable<>(SB), RODATA|NOPTR, $128

// MATERN turns r² in Y10 into k in Y10 and g in Y11. VMINPD returns the
// operand written first when one is NaN, so that NaN stays.
#define MATERN \
	VMULPD      FIVE, Y10, Y10;  /* t = 5r²                      */ \
	VMINPD      Y10, Y15, Y10;   \
	VSQRTPD     Y10, Y11;        /* s = √5·r                     */ \
	VSUBPD      Y11, Y14, Y0;    \
	EXP;                         /* e = e^−s                     */ \
	VCMPPD      $0x1A, FLUSH, Y10, Y1; /* not t > flush, or NaN  */ \
	VANDPD      Y1, Y0, Y0;      \
	VADDPD      EXP_ONE, Y11, Y11; /* 1 + s                      */ \
	VFMADD132PD THIRD, Y11, Y10; /* 1 + s + t/3                  */ \
	VMULPD      Y0, Y12, Y1;     \
	VMULPD      Y0, Y13, Y2;     \
	VMULPD      Y1, Y10, Y10;    /* k = (1 + s + t/3)·scale·e    */ \
	VMULPD      Y2, Y11, Y11     /* g = (1 + s)·(5/3)·scale·e    */

// func maternAsm(k, g, r2 []float64, scale, gscale float64)
//	SI        r2
//	DI        k
//	BX        g, or 0 when it is not wanted
//	AX        elements done
//	CX        elements left
//	Y0–Y9     EXP
//	Y10, Y11  MATERN
//	Y12, Y13  scale and gscale = (5/3)·scale
//	Y14       zero
//	Y15       CAP
TEXT ·maternAsm(SB), NOSPLIT, $0-88
	MOVQ         k_base+0(FP), DI
	MOVQ         g_base+24(FP), BX
	MOVQ         r2_base+48(FP), SI
	MOVQ         r2_len+56(FP), CX
	VBROADCASTSD scale+72(FP), Y12
	VBROADCASTSD gscale+80(FP), Y13
	VXORPD       Y14, Y14, Y14
	VMOVUPD      CAP, Y15
	XORQ         AX, AX
	SUBQ         $4, CX
	JLT          under4

loop4:
	VMOVUPD (SI)(AX*8), Y10
	MATERN
	VMOVUPD Y10, (DI)(AX*8)
	TESTQ   BX, BX
	JEQ     next
	VMOVUPD Y11, (BX)(AX*8)

next:
	ADDQ $4, AX
	SUBQ $4, CX
	JGE  loop4

under4:
	ADDQ $4, CX
	JEQ  done
	LEAQ (SI)(AX*8), SI
	LEAQ (DI)(AX*8), DI
	LEAQ (BX)(AX*8), R8
	TAILMASK(CX, DX, Y9)
	VMASKMOVPD (SI), Y9, Y10
	MATERN
	VMOVUPD    (DX)(CX*8), Y9 // EXP has used Y9: the mask once more
	VMASKMOVPD Y10, Y9, (DI)
	TESTQ      BX, BX
	JEQ        done
	VMASKMOVPD Y11, Y9, (R8)

done:
	VZEROUPPER
	RET
