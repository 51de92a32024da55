package server

import (
	"os"
	"runtime"
	"strconv"
	"strings"
)

// processMetrics describe the program, by the names under which dashboards look for them.
func processMetrics() []*family {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	threads, _ := runtime.ThreadCreateProfile(nil)
	about := &family{name: "go_info", kind: gauge, help: "The version of Go.", labels: []string{"version"}}
	about.set(1, runtime.Version())
	one := func(kind, name, help string, value float64) *family {
		f := &family{name: name, kind: kind, help: help}
		f.set(value)
		return f
	}
	list := []*family{
		about,
		one(gauge, "go_goroutines", "Goroutines.", float64(runtime.NumGoroutine())),
		one(gauge, "go_threads", "Threads created.", float64(threads)),
		one(counter, "go_gc_cycles_total", "Garbage collections.", float64(memory.NumGC)),
		one(gauge, "go_memstats_heap_alloc_bytes", "Memory in use or not yet collected.", float64(memory.HeapAlloc)),
		one(gauge, "go_memstats_heap_inuse_bytes", "Memory in spans that are in use.", float64(memory.HeapInuse)),
		one(gauge, "go_memstats_sys_bytes", "Memory got from the system.", float64(memory.Sys)),
		one(gauge, "go_memstats_next_gc_bytes", "Memory in use at which the next collection begins.", float64(memory.NextGC)),
		one(counter, "go_memstats_alloc_bytes_total", "Memory allocated, freed or not.", float64(memory.TotalAlloc)),
	}
	return append(list, linuxMetrics(one)...)
}

// linuxMetrics are what /proc says. Other systems have none.
func linuxMetrics(one func(kind, name, help string, value float64) *family) []*family {
	const ticks = 100 // a second, on every Linux
	raw, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return nil
	}
	_, after, _ := strings.Cut(string(raw), ") ") // the program's name before it may have spaces
	fields := strings.Fields(after)
	field := func(i int) float64 { // numbered as in proc(5); the third is the first after the name
		if i-3 >= len(fields) {
			return 0
		}
		x, _ := strconv.ParseFloat(fields[i-3], 64)
		return x
	}
	list := []*family{
		one(counter, "process_cpu_seconds_total", "Processor time used.", (field(14)+field(15))/ticks),
		one(gauge, "process_virtual_memory_bytes", "Virtual memory.", field(23)),
		one(gauge, "process_resident_memory_bytes", "Resident memory.", field(24)*float64(os.Getpagesize())),
	}
	if open, err := os.ReadDir("/proc/self/fd"); err == nil {
		list = append(list, one(gauge, "process_open_fds", "Open files and connections.", float64(len(open))))
	}
	if stat, err := os.ReadFile("/proc/stat"); err == nil {
		if _, after, ok := strings.Cut(string(stat), "\nbtime "); ok {
			text, _, _ := strings.Cut(after, "\n")
			booted, _ := strconv.ParseFloat(text, 64)
			list = append(list, one(gauge, "process_start_time_seconds", "When it started, since 1970.", booted+field(22)/ticks))
		}
	}
	return list
}
