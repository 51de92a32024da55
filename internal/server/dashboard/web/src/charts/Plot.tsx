import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { useSignal } from "../lib/signal";
import { theme } from "../lib/theme";
import { useWidth } from "../state/useWidth";

export type PlotOptions = Omit<uPlot.Options, "width" | "height">;

// stepped draws a series that stays as it was until it changes.
export const stepped: uPlot.Series.PathBuilder = (u, s, i0, i1) => uPlot.paths.stepped?.({ align: 1 })(u, s, i0, i1) ?? null;

interface Props {
  label: string;
  height: number;
  // Made anew when the theme or a dep changes; the colours are read then.
  options: () => PlotOptions;
  deps: readonly unknown[];
  data: uPlot.AlignedData;
  tip?: (index: number) => string;
  testid: string;
  count?: number; // of what is drawn, for whoever cannot see it
}

// Plot keeps one uPlot alive: new data are drawn into it.
export function Plot({ label, height, options, deps, data, tip, testid, count }: Props) {
  const [box, width] = useWidth<HTMLDivElement>();
  const mode = useSignal(theme);
  const plot = useRef<uPlot | null>(null);
  const note = useRef<HTMLDivElement>(null);
  const tipOf = useRef(tip);
  tipOf.current = tip;

  useEffect(() => {
    if (!box.current || width === 0) return;
    const made = options();
    const u = new uPlot({ legend: { show: false }, ...made, width, height, plugins: [...(made.plugins ?? []), tipPlugin(note.current, tipOf)] }, data, box.current);
    plot.current = u;
    return () => {
      plot.current = null;
      u.destroy();
    };
  }, [width === 0, mode, height, ...deps]);

  useEffect(() => plot.current?.setSize({ width, height }), [width, height]);
  useEffect(() => plot.current?.setData(data), [data]);

  return (
    <div class="plot" role="img" aria-label={label} data-testid={testid} data-count={count}>
      <div ref={box} />
      <div class="plottip" ref={note} hidden />
    </div>
  );
}

// tipPlugin writes about the point nearest to the cursor.
function tipPlugin(note: HTMLDivElement | null, tip: { current: ((i: number) => string) | undefined }): uPlot.Plugin {
  return {
    hooks: {
      setCursor: (u) => {
        if (!note) return;
        const { idx, left = -1, top = 0 } = u.cursor;
        const text = idx === null || idx === undefined || left < 0 ? "" : (tip.current?.(idx) ?? "");
        note.hidden = text === "";
        note.textContent = text;
        if (text === "") return;
        const x = u.over.offsetLeft + left;
        note.style.left = `${Math.max(0, x + note.offsetWidth + 16 > u.width ? x - note.offsetWidth - 12 : x + 12)}px`;
        note.style.top = `${u.over.offsetTop + Math.max(0, top - note.offsetHeight - 8)}px`;
      },
    },
  };
}
