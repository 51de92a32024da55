# The command of study oven: the smaller the rate, the longer it takes.
sleep "$(awk -v r="$EKE_PARAM_RATE" -v w="$EKE_PARAM_WIDTH" 'BEGIN { printf "%.3f", 0.05 + 0.03 * (-log(r)) + w / 400 }')"
awk -v r="$EKE_PARAM_RATE" -v w="$EKE_PARAM_WIDTH" -v m="$EKE_PARAM_WARM" 'BEGIN {
	printf "loss=%.6f\n", (log(r) + 4) ^ 2 / 20 + 4 / w - (m == "true") * 0.05
}'
