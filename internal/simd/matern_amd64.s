#include "textflag.h"
#include "lanes_amd64.h"
#include "exp_amd64.h"

#define CAP   maternTable<>+0(SB)
#define FLUSH maternTable<>+32(SB)

LANES(maternTable<>, 0, $640000.0) // maternCap
LANES(maternTable<>, 32, $22500.0) // maternFlush
GLOBL maternTable<>(SB), RODATA|NOPTR, $64

// The fields of a matern, whose address is in R9.
#define STRETCH 0(R9)
#define SQUARE  32(R9)
#define LINEAR  64(R9)

// MATERN turns r² in Y10 into k in Y10 and g in Y11. VMINPD returns the
// operand written first when one is NaN, so that NaN stays.
#define MATERN \
	VMULPD      STRETCH, Y10, Y10; /* t = s²                     */ \
	VMINPD      Y10, Y15, Y10;   \
	VSQRTPD     Y10, Y11;        /* s = √stretch·r               */ \
	VSUBPD      Y11, Y14, Y0;    \
	EXP;                         /* e = e^−s                     */ \
	VCMPPD      $0x1A, FLUSH, Y10, Y1; /* not t > flush, or NaN  */ \
	VANDPD      Y1, Y0, Y0;      \
	VMOVUPD     EXP_ONE, Y3;     \
	VFMADD231PD LINEAR, Y11, Y3; /* 1 + linear·s                 */ \
	VADDPD      EXP_ONE, Y11, Y11; /* 1 + s                      */ \
	VFMADD132PD SQUARE, Y11, Y10; /* 1 + s + square·t            */ \
	VMULPD      Y0, Y12, Y1;     \
	VMULPD      Y0, Y13, Y2;     \
	VMULPD      Y1, Y10, Y10;    /* k = (1 + s + square·t)·scale·e */ \
	VMULPD      Y2, Y3, Y11      /* g = (1 + linear·s)·gscale·e  */

// func maternAsm(m *matern, k, g, r2 []float64, scale, gscale float64)
//	R9        m
//	SI        r2
//	DI        k
//	BX        g, or 0 when it is not wanted
//	AX        elements done
//	CX        elements left
//	Y0–Y9     EXP
//	Y10, Y11  MATERN
//	Y12, Y13  scale and gscale
//	Y14       zero
//	Y15       CAP
TEXT ·maternAsm(SB), NOSPLIT, $0-96
	MOVQ         m+0(FP), R9
	MOVQ         k_base+8(FP), DI
	MOVQ         g_base+32(FP), BX
	MOVQ         r2_base+56(FP), SI
	MOVQ         r2_len+64(FP), CX
	VBROADCASTSD scale+80(FP), Y12
	VBROADCASTSD gscale+88(FP), Y13
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
