package postgres

import (
	"encoding/binary"
	"hash/crc32"
	"math"

	"github.com/eke-bo/eke/store"
)

// PostgreSQL notices a changed page only in clusters made with checksums, and a changed row never. A digit
// here is money, so each row carries a sum of what it says.

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func sumOfEvent(study string, seq int64, body []byte) int64 {
	key := binary.BigEndian.AppendUint64(nil, uint64(seq))
	key = append(append(key, study...), 0)
	return int64(crc32.Update(crc32.Checksum(key, castagnoli), castagnoli, body))
}

func sumOfHeader(h store.Header, created string) int64 {
	key := binary.BigEndian.AppendUint64(nil, math.Float64bits(h.Total))
	if h.Measured {
		key = append(key, 1)
	}
	sum := crc32.Checksum(key, castagnoli)
	for _, part := range []string{h.Name, "\x00", created, "\x00", string(h.Definition)} {
		sum = crc32.Update(sum, castagnoli, []byte(part))
	}
	return int64(sum)
}
