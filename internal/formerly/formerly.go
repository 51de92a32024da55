// Package formerly has the presets of earlier versions, for tests and benchmarks to compare with.
package formerly

import "github.com/eke-bo/eke/policy"

// V0 returns the default preset of eke's first version.
func V0() policy.Preset {
	return policy.Preset{LogForm: true, Grown: true, Fresh: true, Advance: true, MeanCost: true, Rollouts: 8, Thrift: 0.5, PriorWeight: 1,
		Discount: 0.9, Warp: true, Rough: true, Informative: 0.3, NoiseFloor: 1e-6, NoiseCeiling: 0.1}
}
