// Package sobol makes scrambled Sobol points: low-discrepancy points of the open unit cube,
// randomised by a seed.
//
// The sequence (Sobol 1967) is the Gray-code variant of Antonov and Saleev
// (1979) with the direction numbers of Joe and Kuo (2008), scrambled by a
// random linear matrix (Matoušek 1998) and a digital shift. Scrambling keeps
// the equidistribution of the points and makes each of them uniform, so that
// averages over them are unbiased (Owen 1998).
package sobol
