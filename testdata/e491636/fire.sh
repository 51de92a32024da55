# The command of study kiln. What happens to a trial is decided by its number.
case $EKE_TRIAL in
1) sleep 1; mkdir "$EKE_DIR/artifacts"; echo ash >"$EKE_DIR/artifacts/glaze.txt" ;;
2) echo "the glaze ran" >&2; exit 3 ;;
esac
# Whoever makes the fixtures has some trials hang, and some wait for a file.
case " $HANG " in *" $EKE_TRIAL "*) sleep 600 ;; esac
case " $WAIT " in *" $EKE_TRIAL "*) until test -e go; do sleep 0.05; done ;; esac
awk -v t="$EKE_PARAM_TEMPERATURE" -v h="$EKE_PARAM_HOURS" -v g="$EKE_PARAM_GLAZE" -v l="${EKE_PARAM_LAYERS:-0}" 'BEGIN {
	x = (t - 1040) / 300; y = (h - 7) / 6; b = (g == "ash") ? 0.4 : (g == "celadon") ? 0.2 : 0
	printf "{\"strength\": %.6f, \"cost\": %.4f}\n", 3 - x * x - y * y + b - 0.1 * (l - 2) * (l - 2) * (l > 0), 0.2 + 0.08 * h + t / 2000
}' >"$EKE_RESULT.new"
mv "$EKE_RESULT.new" "$EKE_RESULT"
# The runners of these die before they see the end.
case " $LINGER " in *" $EKE_TRIAL "*) sleep 600 ;; esac
