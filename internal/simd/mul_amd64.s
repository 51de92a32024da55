#include "textflag.h"

// panel8Asm and panel12Asm multiply a matrix by a panel of 8 or 12 columns:
//
//	dst = a·b  or, with sub ≠ 0,  dst −= a·b,
//
// for dst rows×w, a rows×k and b k×w. Four rows of the product are held in
// registers (then two, then one, for what is left) while p runs over 0…k−1:
// w/4 vectors of b's row p are loaded once and multiplied by each a[r,p] in
// turn. With 12 columns that is 12 FMAs for 7 loads, in twelve independent
// sums, more than the 8 that two FMA units of latency 4 keep busy; with 8
// columns exactly 8.
//
// Registers:
//	DI, SI    first row of the group in dst and a
//	BX        b
//	R11       stride of dst in bytes
//	R8, R9    stride of a in bytes, once and three times
//	R10       stride of b in bytes
//	R12       rows left
//	R13       k
//	AX, DX    a[·,p] and b[p,·], moving; then the rows of dst
//	CX        p left
//	Y0–Y11    sums, row by row
//	Y12–Y14   b[p,·]
//	Y15       a[r,p] in every lane
#define PANEL_ARGS \
	MOVQ dst+0(FP), DI;   \
	MOVQ a+8(FP), SI;     \
	MOVQ b+16(FP), BX;    \
	MOVQ rows+24(FP), R12; \
	MOVQ k+32(FP), R13;   \
	MOVQ ldd+40(FP), R11; \
	MOVQ lda+48(FP), R8;  \
	MOVQ ldb+56(FP), R10; \
	SHLQ $3, R11;         \
	SHLQ $3, R8;          \
	SHLQ $3, R10;         \
	LEAQ (R8)(R8*2), R9

#define PANEL_START \
	MOVQ SI, AX; \
	MOVQ BX, DX; \
	MOVQ R13, CX

#define ZERO2(S0, S1) \
	VXORPD S0, S0, S0; \
	VXORPD S1, S1, S1

#define ZERO3(S0, S1, S2) \
	ZERO2(S0, S1);     \
	VXORPD S2, S2, S2

#define LOAD2(B) \
	VMOVUPD (B), Y12;   \
	VMOVUPD 32(B), Y13

#define LOAD3(B) \
	LOAD2(B);           \
	VMOVUPD 64(B), Y14

// FMA2 and FMA3 add a[r,p]·b[p,·] to the sums of one row.
#define FMA2(A, S0, S1) \
	VBROADCASTSD A, Y15;       \
	VFMADD231PD  Y12, Y15, S0; \
	VFMADD231PD  Y13, Y15, S1

#define FMA3(A, S0, S1, S2) \
	FMA2(A, S0, S1);           \
	VFMADD231PD  Y14, Y15, S2

#define SET2(D, S0, S1) \
	VMOVUPD S0, (D);   \
	VMOVUPD S1, 32(D)

#define SET3(D, S0, S1, S2) \
	SET2(D, S0, S1);   \
	VMOVUPD S2, 64(D)

#define SUB2(D, S0, S1) \
	LOAD2(D);             \
	VSUBPD  S0, Y12, Y12; \
	VSUBPD  S1, Y13, Y13; \
	SET2(D, Y12, Y13)

#define SUB3(D, S0, S1, S2) \
	LOAD3(D);             \
	VSUBPD  S0, Y12, Y12; \
	VSUBPD  S1, Y13, Y13; \
	VSUBPD  S2, Y14, Y14; \
	SET3(D, Y12, Y13, Y14)

// func panel12Asm(dst, a, b *float64, rows, k, ldd, lda, ldb, sub int)
TEXT ·panel12Asm(SB), NOSPLIT, $0-72
	PANEL_ARGS

four:
	SUBQ $4, R12
	JLT  two
	ZERO3(Y0, Y1, Y2)
	ZERO3(Y3, Y4, Y5)
	ZERO3(Y6, Y7, Y8)
	ZERO3(Y9, Y10, Y11)
	PANEL_START

loop4:
	LOAD3(DX)
	FMA3((AX), Y0, Y1, Y2)
	FMA3((AX)(R8*1), Y3, Y4, Y5)
	FMA3((AX)(R8*2), Y6, Y7, Y8)
	FMA3((AX)(R9*1), Y9, Y10, Y11)
	ADDQ $8, AX
	ADDQ R10, DX
	DECQ CX
	JNZ  loop4

	LEAQ (DI)(R11*1), AX
	LEAQ (DI)(R11*2), DX
	LEAQ (AX)(R11*2), CX
	CMPQ sub+64(FP), $0
	JNE  sub4
	SET3(DI, Y0, Y1, Y2)
	SET3(AX, Y3, Y4, Y5)
	SET3(DX, Y6, Y7, Y8)
	SET3(CX, Y9, Y10, Y11)
	JMP  next4

sub4:
	SUB3(DI, Y0, Y1, Y2)
	SUB3(AX, Y3, Y4, Y5)
	SUB3(DX, Y6, Y7, Y8)
	SUB3(CX, Y9, Y10, Y11)

next4:
	LEAQ (SI)(R8*4), SI
	LEAQ (DI)(R11*4), DI
	JMP  four

two:
	// R12 is the rows left − 4; its low bits are those of the rows left.
	TESTQ $2, R12
	JEQ   one
	ZERO3(Y0, Y1, Y2)
	ZERO3(Y3, Y4, Y5)
	PANEL_START

loop2:
	LOAD3(DX)
	FMA3((AX), Y0, Y1, Y2)
	FMA3((AX)(R8*1), Y3, Y4, Y5)
	ADDQ $8, AX
	ADDQ R10, DX
	DECQ CX
	JNZ  loop2

	LEAQ (DI)(R11*1), AX
	CMPQ sub+64(FP), $0
	JNE  sub2
	SET3(DI, Y0, Y1, Y2)
	SET3(AX, Y3, Y4, Y5)
	JMP  next2

sub2:
	SUB3(DI, Y0, Y1, Y2)
	SUB3(AX, Y3, Y4, Y5)

next2:
	LEAQ (SI)(R8*2), SI
	LEAQ (DI)(R11*2), DI

one:
	TESTQ $1, R12
	JEQ   done
	// One row has but three sums: even and odd p are summed apart.
	ZERO3(Y0, Y1, Y2)
	ZERO3(Y3, Y4, Y5)
	PANEL_START
	SUBQ  $2, CX
	JLT   last1

loop1:
	LOAD3(DX)
	FMA3((AX), Y0, Y1, Y2)
	ADDQ R10, DX
	LOAD3(DX)
	FMA3(8(AX), Y3, Y4, Y5)
	ADDQ R10, DX
	ADDQ $16, AX
	SUBQ $2, CX
	JGE  loop1

last1:
	TESTQ $1, CX
	JEQ   sum1
	LOAD3(DX)
	FMA3((AX), Y0, Y1, Y2)

sum1:
	VADDPD Y3, Y0, Y0
	VADDPD Y4, Y1, Y1
	VADDPD Y5, Y2, Y2
	CMPQ   sub+64(FP), $0
	JNE    sub1
	SET3(DI, Y0, Y1, Y2)
	JMP    done

sub1:
	SUB3(DI, Y0, Y1, Y2)

done:
	VZEROUPPER
	RET

// func panel8Asm(dst, a, b *float64, rows, k, ldd, lda, ldb, sub int)
TEXT ·panel8Asm(SB), NOSPLIT, $0-72
	PANEL_ARGS

four:
	SUBQ $4, R12
	JLT  two
	ZERO2(Y0, Y1)
	ZERO2(Y2, Y3)
	ZERO2(Y4, Y5)
	ZERO2(Y6, Y7)
	PANEL_START

loop4:
	LOAD2(DX)
	FMA2((AX), Y0, Y1)
	FMA2((AX)(R8*1), Y2, Y3)
	FMA2((AX)(R8*2), Y4, Y5)
	FMA2((AX)(R9*1), Y6, Y7)
	ADDQ $8, AX
	ADDQ R10, DX
	DECQ CX
	JNZ  loop4

	LEAQ (DI)(R11*1), AX
	LEAQ (DI)(R11*2), DX
	LEAQ (AX)(R11*2), CX
	CMPQ sub+64(FP), $0
	JNE  sub4
	SET2(DI, Y0, Y1)
	SET2(AX, Y2, Y3)
	SET2(DX, Y4, Y5)
	SET2(CX, Y6, Y7)
	JMP  next4

sub4:
	SUB2(DI, Y0, Y1)
	SUB2(AX, Y2, Y3)
	SUB2(DX, Y4, Y5)
	SUB2(CX, Y6, Y7)

next4:
	LEAQ (SI)(R8*4), SI
	LEAQ (DI)(R11*4), DI
	JMP  four

two:
	TESTQ $2, R12
	JEQ   one
	ZERO2(Y0, Y1)
	ZERO2(Y2, Y3)
	PANEL_START

loop2:
	LOAD2(DX)
	FMA2((AX), Y0, Y1)
	FMA2((AX)(R8*1), Y2, Y3)
	ADDQ $8, AX
	ADDQ R10, DX
	DECQ CX
	JNZ  loop2

	LEAQ (DI)(R11*1), AX
	CMPQ sub+64(FP), $0
	JNE  sub2
	SET2(DI, Y0, Y1)
	SET2(AX, Y2, Y3)
	JMP  next2

sub2:
	SUB2(DI, Y0, Y1)
	SUB2(AX, Y2, Y3)

next2:
	LEAQ (SI)(R8*2), SI
	LEAQ (DI)(R11*2), DI

one:
	TESTQ $1, R12
	JEQ   done
	ZERO2(Y0, Y1)
	ZERO2(Y2, Y3)
	PANEL_START
	SUBQ  $2, CX
	JLT   last1

loop1:
	LOAD2(DX)
	FMA2((AX), Y0, Y1)
	ADDQ R10, DX
	LOAD2(DX)
	FMA2(8(AX), Y2, Y3)
	ADDQ R10, DX
	ADDQ $16, AX
	SUBQ $2, CX
	JGE  loop1

last1:
	TESTQ $1, CX
	JEQ   sum1
	LOAD2(DX)
	FMA2((AX), Y0, Y1)

sum1:
	VADDPD Y2, Y0, Y0
	VADDPD Y3, Y1, Y1
	CMPQ   sub+64(FP), $0
	JNE    sub1
	SET2(DI, Y0, Y1)
	JMP    done

sub1:
	SUB2(DI, Y0, Y1)

done:
	VZEROUPPER
	RET
