// Package lbfgsb maximises a smooth function of some hundreds of variables
// inside a box.
package lbfgsb
