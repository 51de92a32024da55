#include "textflag.h"
#include "lanes_amd64.h"

// Registers of all three functions:
//	SI      the source, moving
//	BX      the second source (mulAsm)
//	DI      the destination, moving
//	CX      elements left
//	Y0      the number, in every lane

// func axpyAsm(alpha float64, x, y []float64)
TEXT ·axpyAsm(SB), NOSPLIT, $0-56
	VBROADCASTSD alpha+0(FP), Y0
	MOVQ         x_base+8(FP), SI
	MOVQ         x_len+16(FP), CX
	MOVQ         y_base+32(FP), DI
	SUBQ         $16, CX
	JLT          under16

loop16:
	VMOVUPD     (DI), Y1
	VMOVUPD     32(DI), Y2
	VMOVUPD     64(DI), Y3
	VMOVUPD     96(DI), Y4
	VFMADD231PD (SI), Y0, Y1
	VFMADD231PD 32(SI), Y0, Y2
	VFMADD231PD 64(SI), Y0, Y3
	VFMADD231PD 96(SI), Y0, Y4
	VMOVUPD     Y1, (DI)
	VMOVUPD     Y2, 32(DI)
	VMOVUPD     Y3, 64(DI)
	VMOVUPD     Y4, 96(DI)
	ADDQ        $128, SI
	ADDQ        $128, DI
	SUBQ        $16, CX
	JGE         loop16

under16:
	ADDQ $12, CX // elements left − 4
	JLT  under4

loop4:
	VMOVUPD     (DI), Y1
	VFMADD231PD (SI), Y0, Y1
	VMOVUPD     Y1, (DI)
	ADDQ        $32, SI
	ADDQ        $32, DI
	SUBQ        $4, CX
	JGE         loop4

under4:
	ADDQ $4, CX
	JEQ  done
	TAILMASK(CX, AX, Y6)
	VMASKMOVPD  (DI), Y6, Y1
	VMASKMOVPD  (SI), Y6, Y2
	VFMADD231PD Y2, Y0, Y1
	VMASKMOVPD  Y1, Y6, (DI)

done:
	VZEROUPPER
	RET

// func addSqDistAsm(dst []float64, z float64, col []float64)
TEXT ·addSqDistAsm(SB), NOSPLIT, $0-56
	MOVQ         dst_base+0(FP), DI
	MOVQ         dst_len+8(FP), CX
	VBROADCASTSD z+24(FP), Y0
	MOVQ         col_base+32(FP), SI
	SUBQ         $8, CX
	JLT          under8

loop8:
	VMOVUPD     (SI), Y1
	VMOVUPD     32(SI), Y2
	VMOVUPD     (DI), Y3
	VMOVUPD     32(DI), Y4
	VSUBPD      Y0, Y1, Y1   // col − z
	VSUBPD      Y0, Y2, Y2
	VFMADD231PD Y1, Y1, Y3
	VFMADD231PD Y2, Y2, Y4
	VMOVUPD     Y3, (DI)
	VMOVUPD     Y4, 32(DI)
	ADDQ        $64, SI
	ADDQ        $64, DI
	SUBQ        $8, CX
	JGE         loop8

under8:
	ADDQ        $4, CX       // elements left − 4
	JLT         under4
	VMOVUPD     (SI), Y1
	VMOVUPD     (DI), Y3
	VSUBPD      Y0, Y1, Y1
	VFMADD231PD Y1, Y1, Y3
	VMOVUPD     Y3, (DI)
	ADDQ        $32, SI
	ADDQ        $32, DI
	SUBQ        $4, CX

under4:
	ADDQ $4, CX
	JEQ  done
	TAILMASK(CX, AX, Y6)
	VMASKMOVPD  (SI), Y6, Y1
	VMASKMOVPD  (DI), Y6, Y3
	VSUBPD      Y0, Y1, Y1
	VFMADD231PD Y1, Y1, Y3
	VMASKMOVPD  Y3, Y6, (DI)

done:
	VZEROUPPER
	RET

// func mulAsm(dst, x, y []float64)
TEXT ·mulAsm(SB), NOSPLIT, $0-72
	MOVQ dst_base+0(FP), DI
	MOVQ x_base+24(FP), SI
	MOVQ x_len+32(FP), CX
	MOVQ y_base+48(FP), BX
	SUBQ $8, CX
	JLT  under8

loop8:
	VMOVUPD (SI), Y1
	VMOVUPD 32(SI), Y2
	VMULPD  (BX), Y1, Y1
	VMULPD  32(BX), Y2, Y2
	VMOVUPD Y1, (DI)
	VMOVUPD Y2, 32(DI)
	ADDQ    $64, SI
	ADDQ    $64, BX
	ADDQ    $64, DI
	SUBQ    $8, CX
	JGE     loop8

under8:
	ADDQ    $4, CX       // elements left − 4
	JLT     under4
	VMOVUPD (SI), Y1
	VMULPD  (BX), Y1, Y1
	VMOVUPD Y1, (DI)
	ADDQ    $32, SI
	ADDQ    $32, BX
	ADDQ    $32, DI
	SUBQ    $4, CX

under4:
	ADDQ $4, CX
	JEQ  done
	TAILMASK(CX, AX, Y6)
	VMASKMOVPD (SI), Y6, Y1
	VMASKMOVPD (BX), Y6, Y2
	VMULPD     Y2, Y1, Y1
	VMASKMOVPD Y1, Y6, (DI)

done:
	VZEROUPPER
	RET
