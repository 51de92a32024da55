package local

func living(pgid int) int {
	found, _ := processes(func(pid int) bool {
		group, living := status(pid)
		return group == pgid && living
	})
	return len(found)
}
