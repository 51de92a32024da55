package local

func living(pgid int) int {
	found, _ := processes(func(pid int) bool {
		state, group, ok := status(pid)
		return ok && group == pgid && state != 'Z'
	})
	return len(found)
}
