package onnx

import (
	"encoding/binary"
	"math"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

func message(fields ...[]byte) (all []byte) {
	for _, f := range fields {
		all = append(all, f...)
	}
	return all
}

func text(number protowire.Number, v string) []byte {
	return protowire.AppendString(protowire.AppendTag(nil, number, protowire.BytesType), v)
}

func part(number protowire.Number, fields ...[]byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), message(fields...))
}

func whole(number protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, number, protowire.VarintType), v)
}

func weights(name string, rows, columns uint64, values ...float32) []byte {
	var raw []byte
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
	}
	fields := [][]byte{whole(tensorDims, rows)}
	if columns > 0 {
		fields = append(fields, whole(tensorDims, columns))
	}
	return part(graphInitializer, append(fields, whole(tensorType, typeFloat), text(tensorName, name), part(tensorRaw, raw))...)
}

func operation(op, output string, inputs ...string) []byte {
	fields := [][]byte{text(nodeOutput, output), text(nodeOp, op)}
	for _, in := range inputs {
		fields = append(fields, text(nodeInput, in))
	}
	if op == "Gemm" {
		fields = append(fields, part(nodeAttribute, text(attributeName, "transB"), whole(attributeInt, 1)))
	}
	return part(graphNode, fields...)
}

// layer is a network of one layer: relu(x·Wᵀ + b).
func layer() []byte {
	return part(modelGraph,
		operation("Gemm", "sum", "x_cont", "w", "b"), operation("Relu", "y", "sum"),
		weights("w", 2, 3, 1, 2, 3, -1, -2, -3), weights("b", 2, 0, 0.5, 0.5), part(graphOutput, text(valueName, "y")))
}

func TestLayer(t *testing.T) {
	g, err := Parse(layer())
	if err != nil {
		t.Fatal(err)
	}
	y, err := g.Evaluate(nil, []float32{1, 1, 2})
	if err != nil || len(y) != 2 || y[0] != 9.5 || y[1] != 0 {
		t.Errorf("%v, %v, want 9.5 and 0", y, err)
	}
	if _, err := g.Evaluate(nil, []float32{1, 1}); err == nil {
		t.Error("a row that is too short is accepted")
	}
}

func TestRefused(t *testing.T) {
	for name, file := range map[string][]byte{
		"empty":            nil,
		"no network":       text(2, "pytorch"),
		"unknown operator": part(modelGraph, operation("Conv", "y", "x_cont"), part(graphOutput, text(valueName, "y"))),
		"short weights":    part(modelGraph, weights("w", 2, 3, 1, 2), part(graphOutput, text(valueName, "w"))),
		"cut":              layer()[:40],
	} {
		if _, err := Parse(file); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// Nothing that is read panics.
func FuzzParse(f *testing.F) {
	f.Add(layer())
	f.Fuzz(func(_ *testing.T, file []byte) {
		if g, err := Parse(file); err == nil {
			_, _ = g.Evaluate([]int64{0}, []float32{1, 2, 3})
		}
	})
}
