package problem

// liveTable has what is known of the live problems: their optima, and the median value and the mean work of settings spread over the space. These commands
// find and print them:
//
//	go run ./cmd/eke-bench data live
var liveTable = map[string]typicalLive{}
