#include "textflag.h"
#include "lanes_amd64.h"

// Registers of both functions:
//	SI, DI  the two vectors, moving
//	CX      elements left
//	Y0–Y3   partial sums: an FMA takes four cycles and two start in each, so
//	        that one sum alone would leave the units idle
//	Y8      z in every lane (weightedDiffAsm)

// SUM adds up the lanes of Y0–Y3 into X0.
#define SUM \
	VADDPD       Y1, Y0, Y0;  \
	VADDPD       Y3, Y2, Y2;  \
	VADDPD       Y2, Y0, Y0;  \
	VEXTRACTF128 $1, Y0, X1;  \
	VADDPD       X1, X0, X0;  \
	VUNPCKHPD    X0, X0, X1;  \
	VADDSD       X1, X0, X0;  \
	VZEROUPPER

// func dotAsm(x, y []float64) float64
TEXT ·dotAsm(SB), NOSPLIT, $0-56
	MOVQ   x_base+0(FP), SI
	MOVQ   x_len+8(FP), CX
	MOVQ   y_base+24(FP), DI
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	SUBQ   $16, CX
	JLT    under16

loop16:
	VMOVUPD     (SI), Y4
	VMOVUPD     32(SI), Y5
	VMOVUPD     64(SI), Y6
	VMOVUPD     96(SI), Y7
	VFMADD231PD (DI), Y4, Y0
	VFMADD231PD 32(DI), Y5, Y1
	VFMADD231PD 64(DI), Y6, Y2
	VFMADD231PD 96(DI), Y7, Y3
	ADDQ        $128, SI
	ADDQ        $128, DI
	SUBQ        $16, CX
	JGE         loop16

under16:
	ADDQ $12, CX // elements left − 4
	JLT  under4

loop4:
	VMOVUPD     (SI), Y4
	VFMADD231PD (DI), Y4, Y0
	ADDQ        $32, SI
	ADDQ        $32, DI
	SUBQ        $4, CX
	JGE         loop4

under4:
	ADDQ $4, CX
	JEQ  done
	TAILMASK(CX, AX, Y6)
	VMASKMOVPD  (SI), Y6, Y4
	VMASKMOVPD  (DI), Y6, Y5
	VFMADD231PD Y5, Y4, Y1

done:
	SUM
	MOVSD X0, ret+48(FP)
	RET

// func weightedDiffAsm(w []float64, z float64, col []float64) float64
TEXT ·weightedDiffAsm(SB), NOSPLIT, $0-64
	MOVQ         w_base+0(FP), SI
	MOVQ         w_len+8(FP), CX
	VBROADCASTSD z+24(FP), Y8
	MOVQ         col_base+32(FP), DI
	VXORPD       Y0, Y0, Y0
	VXORPD       Y1, Y1, Y1
	VXORPD       Y2, Y2, Y2
	VXORPD       Y3, Y3, Y3
	SUBQ         $16, CX
	JLT          under16

loop16:
	VMOVUPD     (DI), Y4
	VMOVUPD     32(DI), Y5
	VMOVUPD     64(DI), Y6
	VMOVUPD     96(DI), Y7
	VSUBPD      Y8, Y4, Y4   // col − z
	VSUBPD      Y8, Y5, Y5
	VSUBPD      Y8, Y6, Y6
	VSUBPD      Y8, Y7, Y7
	VFMADD231PD (SI), Y4, Y0
	VFMADD231PD 32(SI), Y5, Y1
	VFMADD231PD 64(SI), Y6, Y2
	VFMADD231PD 96(SI), Y7, Y3
	ADDQ        $128, SI
	ADDQ        $128, DI
	SUBQ        $16, CX
	JGE         loop16

under16:
	ADDQ $12, CX
	JLT  under4

loop4:
	VMOVUPD     (DI), Y4
	VSUBPD      Y8, Y4, Y4
	VFMADD231PD (SI), Y4, Y0
	ADDQ        $32, SI
	ADDQ        $32, DI
	SUBQ        $4, CX
	JGE         loop4

under4:
	ADDQ $4, CX
	JEQ  done
	TAILMASK(CX, AX, Y6)
	VMASKMOVPD  (SI), Y6, Y4
	VMASKMOVPD  (DI), Y6, Y5
	VSUBPD      Y8, Y5, Y5
	VANDPD      Y6, Y5, Y5   // an infinite z must not make 0·∞ in the lanes off
	VFMADD231PD Y5, Y4, Y1

done:
	SUM
	MOVSD X0, ret+56(FP)
	RET
