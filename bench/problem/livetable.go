package problem

// liveTable has what is known of the live problems: their optima, and the median value and the mean work of settings spread over the space. It was made before
// anything was played. These commands find and print it again, in about 15 minutes of a processor; houses are cheap, so they were searched for longer:
//
//	go run ./bench/cmd/eke-bench data live
//	go run ./bench/cmd/eke-bench data live --climbs 8 --steps 1000 boost-iterations-houses boost-fraction-houses
//
// Settings of boost-fraction-odd and boost-fraction-loop with all iterations are those of boost-iterations-odd and boost-iterations-loop, whose optima were
// lower than what their own search found. So they have the same.
var liveTable = map[string]typicalLive{
	"net-epochs-digits":       {0.27399650715354523, 2.157403370818163, 5.4413481796875e+07},
	"net-epochs-spirals":      {0.013805766455132195, 0.6192045621232958, 16812.87890625},
	"boost-iterations-houses": {3.3817287702279057, 7.83619094648236, 1.061933734375e+06},
	"boost-iterations-odd":    {0.06879894401990326, 0.18881349216955645, 6.6466629169921875e+06},
	"boost-iterations-loop":   {0.07736157994767583, 0.19573544418141675, 6.6551303125e+06},
	"boost-fraction-houses":   {3.26452331418384, 18.530270109213646, 298689.3037109375},
	"boost-fraction-odd":      {0.06879894401990326, 0.40271217888397326, 1.86921774609375e+06},
	"boost-fraction-loop":     {0.07736157994767583, 0.42450756528339206, 1.8780315390625e+06},
}
