package study

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/eke-bo/eke/internal/cluster"
	"github.com/eke-bo/eke/space"
)

// Names in Kubernetes are labels of DNS; names of queues and contexts are not checked here.
var namespaceName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)

// readPod reads the keys of an engine whose jobs are pods.
func (r *reader) readPod(f fields, e *Engine, params []space.Param, kind *cluster.Kind) {
	for key, to := range map[string]*string{"namespace": &e.Namespace, "image": &e.Image, "template": &e.Template, "queue": &e.Queue, "context": &e.Context} {
		*to, _ = r.text(f.m[key], "engine."+key)
	}
	if e.Namespace != "" && !namespaceName.MatchString(e.Namespace) {
		r.fail(f.m["namespace"].at, "engine.namespace", "use letters a to z, digits and -, at most 63", "namespace is %s", quoteShort(e.Namespace))
	}
	if n := f.m["image"]; e.Image != "" {
		r.checkPlaceholders(n, "engine.image", params)
	}
	if e.Type == kind.Name && kind.Priced && e.Image == "" && e.Template == "" {
		r.fail(f.at, "engine.image", "write image: registry/name:tag, or template: pod.yaml with a container that has an image", "nothing says which image the command runs in")
	}
	n := f.m["resources"]
	if !r.expect(n, isMapping, "engine.resources", "a mapping", "write resources: {cpu: 4, memory: 8Gi}") {
		return
	}
	for _, entry := range n.entries {
		path, v := "engine.resources."+entry.key, entry.value
		switch {
		case !kind.Option.MatchString(entry.key) || entry.key == ImageOption:
			r.fail(v.keyAt, path, "write a resource of Kubernetes, such as cpu, memory or nvidia.com/gpu", "%s is not the name of a resource", quoteShort(entry.key))
			continue
		case v.is != isText && v.is != isNumber:
			r.wrongType(v, path, "a quantity", "give a number, with a suffix such as 8Gi or 500m if you like")
			continue
		}
		r.checkPlaceholders(v, path, params)
		if list, _ := pieces(v.text); !slices.ContainsFunc(list, func(p piece) bool { return p.name != "" }) {
			if x, err := cluster.Quantity(v.text); err != nil || x <= 0 {
				r.fail(v.at, path, "give a number above 0, with a suffix such as 8Gi or 500m if you like", "%s is %s, which is not a quantity of Kubernetes", entry.key, quoteShort(v.text))
			}
		}
		if e.Resources == nil {
			e.Resources = map[string]string{}
		}
		e.Resources[entry.key] = v.text
	}
}

var froms = []string{"started", FromScheduled}

// refusePrices refuses prices of resources where nothing counts resources.
func (r *reader) refusePrices(f fields) {
	for _, key := range []string{"prices", "node_prices", "from"} {
		if n := f.m[key]; n != nil {
			r.fail(n.keyAt, "cost."+key, "leave it out, or write source: kubernetes", "%s is for costs that Kubernetes accounts for", key)
		}
	}
}

// readPrices reads the prices of resources.
func (r *reader) readPrices(f fields, c *Cost) {
	if from, ok := r.word(f.m["from"], "cost.from", froms); ok && from == FromScheduled {
		c.From = from
	}
	c.Prices = r.readPriceList(f.m["prices"], "cost.prices")
	n := f.m["node_prices"]
	if !r.expect(n, isMapping, "cost.node_prices", "a mapping", "write node_prices: {pool=spot: {cpu-hour: 0.01}}") {
		n = &node{}
	}
	for _, entry := range n.entries {
		path := "cost.node_prices." + entry.key
		if name, _, ok := strings.Cut(entry.key, "="); !ok || name == "" {
			r.fail(entry.value.keyAt, path, "write a label and its value: pool=spot", "%s is not a label of nodes", quoteShort(entry.key))
			continue
		}
		if prices := r.readPriceList(entry.value, path); prices != nil {
			if c.NodePrices == nil {
				c.NodePrices = map[string]map[string]float64{}
			}
			c.NodePrices[entry.key] = prices
		}
	}
	if f.m["prices"] == nil && f.m["node_prices"] != nil {
		r.fail(f.m["node_prices"].keyAt, "cost.prices", "add prices: {cpu-hour: 0.03}, for all other nodes", "node_prices needs prices beside it")
	}
	for _, key := range []string{"of", "price"} {
		if f.m["prices"] != nil && f.m[key] != nil {
			r.fail(f.m[key].keyAt, "cost."+key, "leave one of them out", "%s does not go with prices", key)
		}
	}
}

func (r *reader) readPriceList(n *node, path string) map[string]float64 {
	const hint = "write prices: {cpu-hour: 0.03, gib-hour: 0.004, nvidia.com/gpu-hour: 2.1}"
	if !r.expect(n, isMapping, path, "a mapping", hint) {
		return nil
	}
	prices := map[string]float64{}
	for _, entry := range n.entries {
		at := path + "." + entry.key
		if !cluster.PriceNames.MatchString(entry.key) || entry.key == "memory-hour" {
			r.fail(entry.value.keyAt, at, "name a resource and -hour: cpu-hour, gib-hour (memory), nvidia.com/gpu-hour", "%s is not the name of a price", quoteShort(entry.key))
			continue
		}
		if price, ok := r.number(entry.value, at); ok {
			if !(price >= 0 && price <= MaxAmount) {
				r.fail(entry.value.at, at, "give what one costs in an hour", "%s is %s", entry.key, entry.value.text)
			}
			prices[entry.key] = price
		}
	}
	if len(prices) == 0 && len(n.entries) == 0 {
		r.fail(n.at, path, hint, "there is no price")
	}
	return prices
}

// formatPrices writes prices so that they read back as the same.
func formatPrices(prices map[string]float64) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(prices)) {
		list = append(list, quoteYAML(name)+": "+formatNumber(prices[name]))
	}
	return "{" + strings.Join(list, ", ") + "}"
}

// formatPod writes the keys of an engine whose jobs are pods.
func formatPod(t *template, e *Engine, kind *cluster.Kind) {
	t.option("namespace", quoteOr(e.Namespace), "tuning", "where the jobs are; if not given: as kubectl has it")
	t.option("image", quoteOr(e.Image), "registry.example.org/train:1", "what the command runs in")
	t.option("template", quoteOr(e.Template), "pod.yaml", "a pod to which all else is added: volumes, secrets, tolerations")
	if len(e.Resources) > 0 {
		t.line("  resources:", "what a pod asks for; a value may mention parameters: \"{threads}\"")
		for _, name := range slices.Sorted(maps.Keys(e.Resources)) {
			t.text("    %s: %s\n", quoteYAML(name), quoteText(e.Resources[name]))
		}
	} else {
		t.line("  # resources: "+kind.Example, "what a pod asks for")
	}
	t.option("queue", quoteOr(e.Queue), "tuning", "a queue of Kueue")
	t.option("context", quoteOr(e.Context), "lab", "of the kubeconfig; if not given: its current one")
	timeText := predicted
	if e.Time > 0 {
		timeText = formatDuration(time.Duration(e.Time))
	}
	t.line("  time: "+timeText, "a job's time limit: as its cost is forecast, or a duration")
}

func quoteOr(text string) string {
	if text == "" {
		return ""
	}
	return quoteText(text)
}
