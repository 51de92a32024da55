# The command of study curves. The fourth trial is bad, and waits to be stopped.
for e in 1 2 3 4; do
	echo "{\"step\": $e, \"loss\": $1, \"cost\": $e}"
	test "$1" != 4 || sleep 600
done
