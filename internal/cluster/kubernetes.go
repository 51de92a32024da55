package cluster

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var kubernetes = Kind{
	Name: "kubernetes", Title: "Kubernetes", Submit: "Kubernetes", Priced: true,
	Keys:    []string{"namespace", "image", "template", "resources", "queue", "context"},
	In:      "resources",
	Units:   []string{CoreHours, GPUHours, GiBHours},
	Option:  regexp.MustCompile(`^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$`), // names of resources
	Example: "{cpu: 4, memory: 8Gi}",
	Hints:   map[string]string{GPUHours: "nvidia.com/gpu: 1"},
	Asks:    asksKubernetes,
}

// GiBHours counts memory.
const GiBHours = "gib-hours"

func asksKubernetes(unit string, option func(name string) string) (sum float64) {
	for _, name := range counted[unit] {
		if n, err := Quantity(option(name)); err == nil {
			sum += InUnits(name, n)
		}
	}
	return sum
}

// counted lists the resources of Kubernetes that a unit counts.
var counted = map[string][]string{
	CoreHours: {"cpu"}, GiBHours: {"memory"},
	GPUHours: {"nvidia.com/gpu", "amd.com/gpu", "gpu.intel.com/i915", "gpu.intel.com/xe"},
}

// Counts reports whether a unit counts a resource of Kubernetes.
func Counts(unit, resource string) bool { return slices.Contains(counted[unit], resource) }

// suffixes of quantities, as Kubernetes has them.
var suffixes = map[string]float64{
	"": 1, "n": 1e-9, "u": 1e-6, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18,
	"Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30, "Ti": 1 << 40, "Pi": 1 << 50, "Ei": 1 << 60,
}

var quantity = regexp.MustCompile(`^\+?([0-9]+\.?[0-9]*|\.[0-9]+)(?:([eE][+-]?[0-9]+)|([a-zA-Z]*))$`)

// Quantity reads an amount of a resource, such as 500m, 8Gi or 1.5.
func Quantity(text string) (float64, error) {
	found := quantity.FindStringSubmatch(text)
	if found == nil {
		return 0, fmt.Errorf("%q is not a quantity of Kubernetes", text)
	}
	scale, known := suffixes[found[3]]
	if !known {
		return 0, fmt.Errorf("%q ends in %s, which is not a suffix of Kubernetes", text, found[3])
	}
	x, err := strconv.ParseFloat(found[1]+found[2], 64)
	if err != nil || math.IsInf(x*scale, 0) {
		return 0, fmt.Errorf("%q is too large", text)
	}
	return x * scale, nil
}

// InUnits is an amount of a resource as prices count it: bytes in GiB, anything else as it is.
func InUnits(resource string, amount float64) float64 {
	if resource == "memory" || strings.HasPrefix(resource, "ephemeral-storage") || strings.HasPrefix(resource, "hugepages-") {
		return amount / (1 << 30)
	}
	return amount
}

// PriceName is what a resource is called in a list of prices: cpu-hour, gib-hour for memory, nvidia.com/gpu-hour.
func PriceName(resource string) string {
	if resource == "memory" {
		return "gib-hour"
	}
	return resource + "-hour"
}

// PriceNames matches the names in a list of prices.
var PriceNames = regexp.MustCompile(`^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?-hour$`)

// PerHour is what requests for resources cost in an hour. Resources without a price cost nothing.
func PerHour(prices, requests map[string]float64) (sum float64) {
	for _, name := range slices.Sorted(maps.Keys(requests)) { // in one order, so that the sum is always the same
		sum += prices[PriceName(name)] * InUnits(name, requests[name])
	}
	return sum
}
