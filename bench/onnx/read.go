package onnx

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// Fields of the messages in onnx.proto that a network needs.
const (
	modelGraph = 7

	graphNode, graphInitializer, graphOutput = 1, 5, 12

	nodeInput, nodeOutput, nodeOp, nodeAttribute = 1, 2, 4, 5

	attributeName, attributeFloat, attributeInt, attributeTensor = 1, 2, 3, 5

	tensorDims, tensorType, tensorName, tensorRaw = 1, 2, 8, 9

	valueName = 1

	typeFloat, typeInt64 = 1, 7
)

// mostNumbers is more than any network has that is meant here.
const mostNumbers = 1 << 26

// Parse reads a network.
func Parse(file []byte) (*Graph, error) {
	g := &Graph{known: map[string]tensor{}}
	found := false
	err := fields(file, func(f field) error {
		if f.number != modelGraph {
			return nil
		}
		found = true
		return fields(f.bytes, g.read)
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("onnx: %w", err)
	case !found || g.output == "":
		return nil, errors.New("onnx: the file has no network")
	}
	return g, nil
}

func (g *Graph) read(f field) error {
	switch f.number {
	case graphNode:
		n, err := parseNode(f.bytes)
		if err != nil {
			return err
		}
		if n.op == "Constant" {
			g.known[n.output] = n.value
			return nil
		}
		if _, ok := operators[n.op]; !ok {
			return fmt.Errorf("there is no operator %q here", n.op)
		}
		g.nodes = append(g.nodes, n)
	case graphInitializer:
		name, t, err := parseTensor(f.bytes)
		if err != nil {
			return fmt.Errorf("%q: %w", name, err)
		}
		g.known[name] = t
	case graphOutput:
		return fields(f.bytes, func(f field) error {
			if f.number == valueName {
				g.output = string(f.bytes)
			}
			return nil
		})
	}
	return nil
}

func parseNode(message []byte) (n node, err error) {
	n.alpha, n.beta, n.epsilon = 1, 1, 1e-5
	err = fields(message, func(f field) error {
		switch f.number {
		case nodeInput:
			n.inputs = append(n.inputs, string(f.bytes))
		case nodeOutput:
			if n.output == "" {
				n.output = string(f.bytes)
			}
		case nodeOp:
			n.op = string(f.bytes)
		case nodeAttribute:
			return n.readAttribute(f.bytes)
		}
		return nil
	})
	return n, err
}

func (n *node) readAttribute(message []byte) error {
	var name string
	var whole int64
	var number float32
	var value tensor
	err := fields(message, func(f field) (err error) {
		switch f.number {
		case attributeName:
			name = string(f.bytes)
		case attributeInt:
			whole = int64(f.varint)
		case attributeFloat:
			number = math.Float32frombits(uint32(f.varint))
		case attributeTensor:
			_, value, err = parseTensor(f.bytes)
		}
		return err
	})
	switch name {
	case "axis":
		n.axis = whole
	case "transB":
		n.transposed = whole == 1
	case "alpha":
		n.alpha = number
	case "beta":
		n.beta = number
	case "epsilon":
		n.epsilon = number
	case "value":
		n.value = value
	case "to":
		if whole != typeFloat {
			return fmt.Errorf("a cast to type %d, not to float32", whole)
		}
	}
	return err
}

func parseTensor(message []byte) (name string, t tensor, err error) {
	var kind uint64
	var raw []byte
	size := 1
	err = fields(message, func(f field) error {
		switch f.number {
		case tensorDims:
			list := []uint64{f.varint}
			if f.kind == protowire.BytesType {
				list = nil
				for rest := f.bytes; len(rest) > 0; {
					v, n := protowire.ConsumeVarint(rest)
					if n < 0 {
						return protowire.ParseError(n)
					}
					list, rest = append(list, v), rest[n:]
				}
			}
			for _, v := range list {
				if v > mostNumbers || size*int(v) > mostNumbers {
					return fmt.Errorf("an array of %d × %d numbers", size, v)
				}
				t.shape, size = append(t.shape, int(v)), size*int(v)
			}
		case tensorType:
			kind = f.varint
		case tensorName:
			name = string(f.bytes)
		case tensorRaw:
			raw = f.bytes
		}
		return nil
	})
	if err != nil {
		return name, t, err
	}
	switch {
	case kind == typeFloat && len(raw) == 4*size:
		t.floats = make([]float32, size)
		for i := range t.floats {
			t.floats[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
		}
	case kind == typeInt64 && len(raw) == 8*size:
		t.ints = make([]int64, size)
		for i := range t.ints {
			t.ints[i] = int64(binary.LittleEndian.Uint64(raw[8*i:]))
		}
	default:
		return name, t, fmt.Errorf("%d bytes for %d numbers of type %d", len(raw), size, kind)
	}
	return name, t, nil
}

// field is one of a message.
type field struct {
	number protowire.Number
	kind   protowire.Type
	varint uint64 // and numbers of a fixed size
	bytes  []byte
}

// fields calls visit with each field of a message.
func fields(message []byte, visit func(field) error) error {
	for len(message) > 0 {
		var f field
		var n int
		f.number, f.kind, n = protowire.ConsumeTag(message)
		if n < 0 {
			return protowire.ParseError(n)
		}
		message = message[n:]
		switch f.kind {
		case protowire.VarintType:
			f.varint, n = protowire.ConsumeVarint(message)
		case protowire.Fixed32Type:
			var v uint32
			v, n = protowire.ConsumeFixed32(message)
			f.varint = uint64(v)
		case protowire.BytesType:
			f.bytes, n = protowire.ConsumeBytes(message)
		default:
			n = protowire.ConsumeFieldValue(f.number, f.kind, message)
		}
		if n < 0 {
			return protowire.ParseError(n)
		}
		if err := visit(f); err != nil {
			return err
		}
		message = message[n:]
	}
	return nil
}
