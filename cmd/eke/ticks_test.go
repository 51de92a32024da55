package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// ticks is a command that notes, every few milliseconds, for how long it has run.
func ticks() {
	begun := time.Now().Add(-age())
	trial, _ := strconv.Atoi(os.Getenv("EKE_TRIAL"))
	file, err := os.Create(fmt.Sprintf("ticks-%d", trial))
	for err == nil && time.Since(begun) < time.Duration(50+trial*83%450)*time.Millisecond {
		_, err = file.WriteAt(binary.LittleEndian.AppendUint64(nil, uint64(time.Since(begun))), 0)
		time.Sleep(2 * time.Millisecond)
	}
	if err == nil {
		err = os.WriteFile(os.Getenv("EKE_RESULT"), []byte(`{"objective": 1}`), 0o666)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// age is how long this process is there: it takes some milliseconds until its first line is executed. Linux tells, in hundredths of a second.
func age() time.Duration {
	stat, _ := os.ReadFile("/proc/self/stat")
	uptime, _ := os.ReadFile("/proc/uptime")
	_, fields, _ := strings.Cut(string(stat), ") ")
	var now, since float64
	if list := strings.Fields(fields); len(list) > 19 {
		since, _ = strconv.ParseFloat(list[19], 64)
	}
	if _, err := fmt.Sscan(string(uptime), &now); err != nil || since == 0 {
		return 0
	}
	return time.Duration((now - since/100) * float64(time.Second))
}
