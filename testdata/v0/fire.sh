# The command of study kiln. What happens to a trial is decided by its number.
case $EKE_TRIAL in
3) echo "the glaze ran" >&2; exit 1 ;;
5) echo "cost=0.5"; sleep 20 ;;
9 | 10 | 17 | 19) sleep 20 ;;
18) sleep 4 ;;
esac
sleep 0.1
awk -v t="$EKE_PARAM_TEMPERATURE" -v h="$EKE_PARAM_HOURS" -v g="$EKE_PARAM_GLAZE" -v l="${EKE_PARAM_LAYERS:-0}" 'BEGIN {
	x = (t - 1040) / 300; y = (h - 7) / 6; b = (g == "ash") ? 0.4 : (g == "celadon") ? 0.2 : 0
	printf "{\"strength\": %.6f, \"cost\": %.4f}\n", 3 - x * x - y * y + b - 0.1 * (l - 2) * (l - 2) * (l > 0), 0.2 + 0.12 * h + t / 2000
}' > "$EKE_RESULT.new"
mv "$EKE_RESULT.new" "$EKE_RESULT"
# The runners of these die before they see the end.
case $EKE_TRIAL in 16 | 20) sleep 20 ;; esac
