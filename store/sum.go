package store

import (
	"encoding/binary"
	"hash/crc32"
	"math"
)

// A database notices when its structure is broken, not when a digit within a row has changed. A digit here is money, so each row
// carries a sum of what it says. The key says which row it is, so that rows cannot be exchanged.

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// SumOfEvent is the sum of an event's row.
func SumOfEvent(key, body []byte) int64 {
	return int64(crc32.Update(crc32.Checksum(key, castagnoli), castagnoli, body))
}

// SumOfHeader is the sum of a header's row.
func SumOfHeader(key []byte, h Header, created string) int64 {
	key = binary.BigEndian.AppendUint64(key, math.Float64bits(h.Total))
	if h.Measured {
		key = append(key, 1)
	}
	sum := crc32.Checksum(key, castagnoli)
	for _, part := range []string{h.Name, "\x00", created, "\x00", string(h.Definition)} {
		sum = crc32.Update(sum, castagnoli, []byte(part))
	}
	return int64(sum)
}
