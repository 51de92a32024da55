// TAILMASK loads into MASK the mask of the first CNT lanes, 0 < CNT < 4, for
// VMASKMOVPD: masked-off lanes read as zero without touching memory, and are
// not written. It uses TMP and negates CNT.
#define TAILMASK(CNT, TMP, MASK) \
	LEAQ    ·tailMask+32(SB), TMP; \
	NEGQ    CNT;                   \
	VMOVUPD (TMP)(CNT*8), MASK

// LANES sets the four lanes of a table entry to one value.
#define LANES(TABLE, OFF, VALUE) \
	DATA TABLE+(OFF+0)(SB)/8, VALUE;  \
	DATA TABLE+(OFF+8)(SB)/8, VALUE;  \
	DATA TABLE+(OFF+16)(SB)/8, VALUE; \
	DATA TABLE+(OFF+24)(SB)/8, VALUE
