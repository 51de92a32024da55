#include "textflag.h"

// COLS2 loads two adjacent entries of four rows and transposes them:
// XA holds the first entry of rows R0…R3, XB the second.
#define COLS2(OFF, R0, R1, R2, R3, XA, XB) \
	VMOVUPD     OFF(R0), X8;          \
	VMOVUPD     OFF(R1), X9;          \
	VINSERTF128 $1, OFF(R2), Y8, Y8;  \
	VINSERTF128 $1, OFF(R3), Y9, Y9;  \
	VUNPCKLPD   Y9, Y8, XA;           \
	VUNPCKHPD   Y9, Y8, XB

// ROWS2 is the way back.
#define ROWS2(OFF, R0, R1, R2, R3, XA, XB) \
	VUNPCKLPD    XB, XA, Y8;          \
	VUNPCKHPD    XB, XA, Y9;          \
	VMOVUPD      X8, OFF(R0);         \
	VMOVUPD      X9, OFF(R1);         \
	VEXTRACTF128 $1, Y8, OFF(R2);     \
	VEXTRACTF128 $1, Y9, OFF(R3)

// Both solvers below work on eight unknowns x₀…x₇, each a vector of four
// independent systems, in Y0–Y7, with the lower triangular 8×8 matrix
//
//	u[q,p] = L[q,p] for p < q,  u[q,q] = 1/L[q,q]
//
// at DX, row-major. When x_p is final, it is taken out of the equations below.

// PIVOT finishes x_p.
#define PIVOT(OFF, XP) \
	VBROADCASTSD OFF(DX), Y8; \
	VMULPD       Y8, XP, XP

// ELIM takes x_p out of equation q.
#define ELIM(OFF, XP, XQ) \
	VBROADCASTSD OFF(DX), Y8; \
	VFNMADD231PD Y8, XP, XQ

// The offset of u[q,p] is 64·q + 8·p.
#define SOLVE \
	PIVOT(0, Y0); \
	ELIM(64, Y0, Y1); \
	ELIM(128, Y0, Y2); \
	ELIM(192, Y0, Y3); \
	ELIM(256, Y0, Y4); \
	ELIM(320, Y0, Y5); \
	ELIM(384, Y0, Y6); \
	ELIM(448, Y0, Y7); \
	PIVOT(72, Y1); \
	ELIM(136, Y1, Y2); \
	ELIM(200, Y1, Y3); \
	ELIM(264, Y1, Y4); \
	ELIM(328, Y1, Y5); \
	ELIM(392, Y1, Y6); \
	ELIM(456, Y1, Y7); \
	PIVOT(144, Y2); \
	ELIM(208, Y2, Y3); \
	ELIM(272, Y2, Y4); \
	ELIM(336, Y2, Y5); \
	ELIM(400, Y2, Y6); \
	ELIM(464, Y2, Y7); \
	PIVOT(216, Y3); \
	ELIM(280, Y3, Y4); \
	ELIM(344, Y3, Y5); \
	ELIM(408, Y3, Y6); \
	ELIM(472, Y3, Y7); \
	PIVOT(288, Y4); \
	ELIM(352, Y4, Y5); \
	ELIM(416, Y4, Y6); \
	ELIM(480, Y4, Y7); \
	PIVOT(360, Y5); \
	ELIM(424, Y5, Y6); \
	ELIM(488, Y5, Y7); \
	PIVOT(432, Y6); \
	ELIM(496, Y6, Y7); \
	PIVOT(504, Y7)

// func solveRight8Asm(c, u *float64, quads, ld int)
//
// Solves X·Lᵀ = C in place for 4·quads rows of eight entries. A row is one
// system; four rows are transposed into the lanes.
//	SI, R9, R10, R11  four rows of c
//	R8                stride in bytes
//	CX                quads left
TEXT ·solveRight8Asm(SB), NOSPLIT, $0-32
	MOVQ c+0(FP), SI
	MOVQ u+8(FP), DX
	MOVQ quads+16(FP), CX
	MOVQ ld+24(FP), R8
	SHLQ $3, R8

right:
	LEAQ (SI)(R8*1), R9
	LEAQ (SI)(R8*2), R10
	LEAQ (R9)(R8*2), R11
	COLS2(0, SI, R9, R10, R11, Y0, Y1)
	COLS2(16, SI, R9, R10, R11, Y2, Y3)
	COLS2(32, SI, R9, R10, R11, Y4, Y5)
	COLS2(48, SI, R9, R10, R11, Y6, Y7)
	SOLVE
	ROWS2(0, SI, R9, R10, R11, Y0, Y1)
	ROWS2(16, SI, R9, R10, R11, Y2, Y3)
	ROWS2(32, SI, R9, R10, R11, Y4, Y5)
	ROWS2(48, SI, R9, R10, R11, Y6, Y7)
	LEAQ (SI)(R8*4), SI
	DECQ CX
	JNZ  right
	VZEROUPPER
	RET

// func solveLeft8Asm(x, u *float64, quads, ld int)
//
// Solves L·X = B in place for eight rows of 4·quads entries. A column is one
// system.
//	SI, R10  rows 0 and 4 of x, moving
//	R8, R9   stride in bytes, once and three times
//	CX       quads left
TEXT ·solveLeft8Asm(SB), NOSPLIT, $0-32
	MOVQ x+0(FP), SI
	MOVQ u+8(FP), DX
	MOVQ quads+16(FP), CX
	MOVQ ld+24(FP), R8
	SHLQ $3, R8
	LEAQ (R8)(R8*2), R9
	LEAQ (SI)(R8*4), R10

left:
	VMOVUPD (SI), Y0
	VMOVUPD (SI)(R8*1), Y1
	VMOVUPD (SI)(R8*2), Y2
	VMOVUPD (SI)(R9*1), Y3
	VMOVUPD (R10), Y4
	VMOVUPD (R10)(R8*1), Y5
	VMOVUPD (R10)(R8*2), Y6
	VMOVUPD (R10)(R9*1), Y7
	SOLVE
	VMOVUPD Y0, (SI)
	VMOVUPD Y1, (SI)(R8*1)
	VMOVUPD Y2, (SI)(R8*2)
	VMOVUPD Y3, (SI)(R9*1)
	VMOVUPD Y4, (R10)
	VMOVUPD Y5, (R10)(R8*1)
	VMOVUPD Y6, (R10)(R8*2)
	VMOVUPD Y7, (R10)(R9*1)
	ADDQ    $32, SI
	ADDQ    $32, R10
	DECQ    CX
	JNZ     left
	VZEROUPPER
	RET

// func pack8Asm(dst, src *float64, pairs, ld int)
//
// Transposes eight rows of 2·pairs entries into dst, 2·pairs rows of eight.
//	SI, R9, R10, R11   rows 0–3 of src, moving
//	AX, BX, R12, R13   rows 4–7
//	DI                 dst, moving
//	CX                 pairs left
TEXT ·pack8Asm(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ pairs+16(FP), CX
	MOVQ ld+24(FP), R8
	SHLQ $3, R8
	LEAQ (SI)(R8*1), R9
	LEAQ (SI)(R8*2), R10
	LEAQ (R9)(R8*2), R11
	LEAQ (SI)(R8*4), AX
	LEAQ (R9)(R8*4), BX
	LEAQ (R10)(R8*4), R12
	LEAQ (R11)(R8*4), R13

pack:
	COLS2(0, SI, R9, R10, R11, Y0, Y1)
	COLS2(0, AX, BX, R12, R13, Y2, Y3)
	VMOVUPD Y0, (DI)
	VMOVUPD Y2, 32(DI)
	VMOVUPD Y1, 64(DI)
	VMOVUPD Y3, 96(DI)
	ADDQ    $128, DI
	ADDQ    $16, SI
	ADDQ    $16, R9
	ADDQ    $16, R10
	ADDQ    $16, R11
	ADDQ    $16, AX
	ADDQ    $16, BX
	ADDQ    $16, R12
	ADDQ    $16, R13
	DECQ    CX
	JNZ     pack
	VZEROUPPER
	RET

// The factor is found column by column. Of column p, Y0–Y3 hold rows 0–3
// (p = 0…3), and Y4–Y7, Y10–Y13 rows 4–7 (p = 0…7).

// DIVIDE puts 1/d_p into Y9, d_p being the lane of column C that LANE names.
#define DIVIDE(LANE, C) \
	VPERMPD LANE, C, Y8; \
	VDIVPD  Y8, Y15, Y9

// TAKE subtracts from column CQ the part of column CP: S is CP/d_p, and its
// lane q the factor. TAKEON does so with the same factor for other rows.
#define TAKE(LANE, S, CP, CQ) \
	VPERMPD      LANE, S, Y8; \
	VFNMADD231PD Y8, CP, CQ

#define TAKEON(CP, CQ) \
	VFNMADD231PD Y8, CP, CQ

// SCALE multiplies column C by the lane of Y9 that LANE names.
#define SCALE(LANE, C) \
	VPERMPD  LANE, Y9, Y8; \
	VMULPD   Y8, C, C

// func factor8Asm(t *tri8, diag *[8]float64)
//
// Finds t = L·D·Lᵀ, with unit diagonal of L, and then the factor L·√D: each
// column has to wait for the one before, and without the roots on that path it
// is shorter.
//	SI, R9, R10, R11  rows 0–3 of t
//	AX, BX, R12, R13  rows 4–7
//	DI                diag
//	Y8, Y9, Y14       at hand
//	Y15               1
TEXT ·factor8Asm(SB), NOSPLIT, $0-16
	MOVQ     t+0(FP), SI
	MOVQ     diag+8(FP), DI
	LEAQ     64(SI), R9
	LEAQ     128(SI), R10
	LEAQ     192(SI), R11
	LEAQ     256(SI), AX
	LEAQ     320(SI), BX
	LEAQ     384(SI), R12
	LEAQ     448(SI), R13
	VPCMPEQQ Y15, Y15, Y15
	VPSLLQ   $54, Y15, Y15
	VPSRLQ   $2, Y15, Y15          // 0x3ff0…0
	COLS2(0, SI, R9, R10, R11, Y0, Y1)
	COLS2(16, SI, R9, R10, R11, Y2, Y3)
	COLS2(0, AX, BX, R12, R13, Y4, Y5)
	COLS2(16, AX, BX, R12, R13, Y6, Y7)
	COLS2(32, AX, BX, R12, R13, Y10, Y11)
	COLS2(48, AX, BX, R12, R13, Y12, Y13)

	// column 0
	DIVIDE($0x00, Y0)
	VMULPD Y9, Y0, Y14
	VMULPD Y9, Y4, Y9
	TAKE($0x55, Y14, Y0, Y1)
	TAKEON(Y4, Y5)
	TAKE($0xaa, Y14, Y0, Y2)
	TAKEON(Y4, Y6)
	TAKE($0xff, Y14, Y0, Y3)
	TAKEON(Y4, Y7)
	TAKE($0x00, Y9, Y4, Y10)
	TAKE($0x55, Y9, Y4, Y11)
	TAKE($0xaa, Y9, Y4, Y12)
	TAKE($0xff, Y9, Y4, Y13)

	// column 1
	DIVIDE($0x55, Y1)
	VMULPD Y9, Y1, Y14
	VMULPD Y9, Y5, Y9
	TAKE($0xaa, Y14, Y1, Y2)
	TAKEON(Y5, Y6)
	TAKE($0xff, Y14, Y1, Y3)
	TAKEON(Y5, Y7)
	TAKE($0x00, Y9, Y5, Y10)
	TAKE($0x55, Y9, Y5, Y11)
	TAKE($0xaa, Y9, Y5, Y12)
	TAKE($0xff, Y9, Y5, Y13)

	// column 2
	DIVIDE($0xaa, Y2)
	VMULPD Y9, Y2, Y14
	VMULPD Y9, Y6, Y9
	TAKE($0xff, Y14, Y2, Y3)
	TAKEON(Y6, Y7)
	TAKE($0x00, Y9, Y6, Y10)
	TAKE($0x55, Y9, Y6, Y11)
	TAKE($0xaa, Y9, Y6, Y12)
	TAKE($0xff, Y9, Y6, Y13)

	// column 3
	DIVIDE($0xff, Y3)
	VMULPD Y9, Y3, Y14
	VMULPD Y9, Y7, Y9
	TAKE($0x00, Y9, Y7, Y10)
	TAKE($0x55, Y9, Y7, Y11)
	TAKE($0xaa, Y9, Y7, Y12)
	TAKE($0xff, Y9, Y7, Y13)

	// column 4
	DIVIDE($0x00, Y10)
	VMULPD Y9, Y10, Y9
	TAKE($0x55, Y9, Y10, Y11)
	TAKE($0xaa, Y9, Y10, Y12)
	TAKE($0xff, Y9, Y10, Y13)

	// column 5
	DIVIDE($0x55, Y11)
	VMULPD Y9, Y11, Y9
	TAKE($0xaa, Y9, Y11, Y12)
	TAKE($0xff, Y9, Y11, Y13)

	// column 6
	DIVIDE($0xaa, Y12)
	VMULPD Y9, Y12, Y9
	TAKE($0xff, Y9, Y12, Y13)

	// Roots and reciprocals of d₀…d₃, and the columns they belong to.
	VBLENDPD $0x02, Y1, Y0, Y8
	VBLENDPD $0x04, Y2, Y8, Y8
	VBLENDPD $0x08, Y3, Y8, Y8
	VSQRTPD  Y8, Y8
	VMOVUPD  Y8, 0(DI)
	VDIVPD   Y8, Y15, Y9
	SCALE($0x00, Y0)
	VMULPD   Y8, Y4, Y4
	VBLENDPD $0x01, Y9, Y0, Y0
	SCALE($0x55, Y1)
	VMULPD   Y8, Y5, Y5
	VBLENDPD $0x02, Y9, Y1, Y1
	SCALE($0xaa, Y2)
	VMULPD   Y8, Y6, Y6
	VBLENDPD $0x04, Y9, Y2, Y2
	SCALE($0xff, Y3)
	VMULPD   Y8, Y7, Y7
	VBLENDPD $0x08, Y9, Y3, Y3

	// Roots and reciprocals of d₄…d₇, and the columns they belong to.
	VBLENDPD $0x02, Y11, Y10, Y8
	VBLENDPD $0x04, Y12, Y8, Y8
	VBLENDPD $0x08, Y13, Y8, Y8
	VSQRTPD  Y8, Y8
	VMOVUPD  Y8, 32(DI)
	VDIVPD   Y8, Y15, Y9
	SCALE($0x00, Y10)
	VBLENDPD $0x01, Y9, Y10, Y10
	SCALE($0x55, Y11)
	VBLENDPD $0x02, Y9, Y11, Y11
	SCALE($0xaa, Y12)
	VBLENDPD $0x04, Y9, Y12, Y12
	SCALE($0xff, Y13)
	VBLENDPD $0x08, Y9, Y13, Y13

	ROWS2(0, SI, R9, R10, R11, Y0, Y1)
	ROWS2(16, SI, R9, R10, R11, Y2, Y3)
	ROWS2(0, AX, BX, R12, R13, Y4, Y5)
	ROWS2(16, AX, BX, R12, R13, Y6, Y7)
	ROWS2(32, AX, BX, R12, R13, Y10, Y11)
	ROWS2(48, AX, BX, R12, R13, Y12, Y13)
	VZEROUPPER
	RET
