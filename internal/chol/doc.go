// Package chol grows Cholesky factors along chains of points, forward and back.
package chol
