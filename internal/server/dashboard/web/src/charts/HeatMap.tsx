import { useEffect, useRef } from "preact/hooks";
import type { Definition, Heat, Trial, Value } from "../api/types";
import type { Cell } from "../lib/csv";
import { cuts } from "../lib/cut";
import { amount, counts, number, valueText } from "../lib/format";
import { back, newScale, ofMoney, type ParamScale, paramScale, place, ticks, wide } from "../lib/scale";
import { useWidth } from "../state/useWidth";
import { Export } from "../parts/Export";
import { Contours } from "./Contours";
import { type Box, slanted, XAxis } from "./Frame";
import { colour, css, type RampName } from "./ramp";
import { blend, locate, nearest } from "./raster";

interface Props {
  definition: Definition;
  heat: Heat;
  of: RampName;
  trials: Trial[];
  best: number | null;
}

const grid = (h: Heat, of: RampName): number[][] => (of === "value" ? h.value : of === "sd" ? h.value_sd : h.cost_median);

// HeatMap draws B across and A up: colours, and lines of equal values where both are numbers. Dots are trials, the ring is the best.
export function HeatMap({ definition: d, heat, of, trials, best }: Props) {
  const [ref, width] = useWidth<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const height = Math.min(460, Math.max(300, width * 0.62));
  const marks = axisScale(d, heat.b.parameter, heat.b.values, 76, width - 26).marks(Math.max(2, Math.floor(width / 90)));
  const box: Box = { left: 76, right: width - 26, top: 26, bottom: height - 46 - slanted(marks), width, height };
  const cells = grid(heat, of);
  const flat = cells.flatMap((row, r) => row.filter((_, c) => heat.exists[r]?.[c] !== false));
  const s = of === "cost" ? ofMoney(newScale(flat, wide(flat), 0), d.cost) : newScale(flat, false, 0);
  const good = of === "value" && d.objective.goal === "minimize"; // bright is good
  const part = (v: number) => (good ? 1 - place(s, v) : place(s, v));
  const text = (v: number) => (of === "cost" ? amount(d.cost, v) : number(v));

  const x = axisScale(d, heat.b.parameter, heat.b.values, box.left, box.right);
  const y = axisScale(d, heat.a.parameter, heat.a.values, box.bottom, box.top);

  useEffect(() => {
    const c = canvas.current;
    const ctx = c?.getContext("2d");
    if (!c || !ctx) return;
    [c.width, c.height] = pixels;
    const across = locate(placesOf(x, heat.b.values), box.left, box.right, c.width, x.named);
    const down = locate(placesOf(y, heat.a.values), box.top, box.bottom, c.height, y.named);
    const image = ctx.createImageData(c.width, c.height);
    for (const [i, r] of down.entries()) {
      for (const [j, k] of across.entries()) {
        const there = heat.exists[nearest(r)]?.[nearest(k)] !== false;
        image.data.set([...colour(of, part(blend(cells, r, k))), there ? 255 : 0], 4 * (i * c.width + j));
      }
    }
    ctx.putImageData(image, 0, 0);
  }, [heat, of, width]);

  const up = y.marks(6);
  const upNames = cuts(up.map((t) => t.label), 10);
  const smooth = !x.named && !y.named;
  const levels = ticks(s, width > 500 ? 12 : 5);
  const field = { xs: placesOf(x, heat.b.values), ys: placesOf(y, heat.a.values), value: (r: number, c: number) => (heat.exists[r]?.[c] === false ? null : (cells[r]?.[c] ?? null)) };
  const dots = trials.filter((t) => t.state === "done");
  const shown = dots.length > 400 ? dots.filter((t, k) => k % Math.ceil(dots.length / 400) === 0 || t.number === best) : dots;
  return (
    <div ref={ref} class="heat charted" data-testid="heat-map" data-of={of}>
      <div class="tools over">
        <Export name="heat-map" table={() => heatTable(d, heat)} />
      </div>
      {width > 0 && (
        <>
          <div class="heatbox" style={{ height: `${height}px` }}>
            <canvas
              ref={canvas}
              class={smooth ? "" : "crisp"}
              style={{ left: `${box.left}px`, top: `${box.top}px`, width: `${box.right - box.left}px`, height: `${box.bottom - box.top}px` }}
            />
            <svg class="chart" role="img" aria-label={`${of} over ${heat.a.parameter} and ${heat.b.parameter}`} width={width} height={height}>
              <g class="heataxis">
                <XAxis box={{ ...box, top: box.bottom }} ticks={marks} name={heat.b.parameter} />
                <g class="lines">
                  {up.map((t, k) => (
                    <text key={t.at} class="end" x={box.left - 7} y={t.at + 4}>
                      {upNames[k]}
                    </text>
                  ))}
                  <text class="name" x={2} y={box.top - 10}>
                    {heat.a.parameter}
                  </text>
                </g>
              </g>
              <rect class="heatframe" x={box.left} y={box.top} width={box.right - box.left} height={box.bottom - box.top} />
              <g class="strips">{strips(heat, cells, stretches(placesOf(x, heat.b.values), box.left, box.right), stretches(placesOf(y, heat.a.values), box.bottom, box.top), text)}</g>
              {smooth && <Contours grid={field} levels={levels.map((t) => ({ value: back(s, t.at), label: t.label }))} box={box} />}
              {shown.map((t) => {
                const cx = x.place(t.setting[heat.b.parameter]);
                const cy = y.place(t.setting[heat.a.parameter]);
                if (cx === null || cy === null) return null;
                return <circle key={t.number} data-trial={t.number} class={`heatdot${t.number === best ? " best" : counts(t) ? "" : " uncounted"}`} cx={cx} cy={cy} r={t.number === best ? 6.5 : counts(t) ? 2.6 : 1.8} data-tip={`trial ${t.number}: ${d.objective.name} ${number(t.value ?? 0)} for ${amount(d.cost, t.charged ?? 0)}`} />;
              })}
            </svg>
          </div>
          <Legend of={of} down={good} labels={levels} />
        </>
      )}
    </div>
  );
}

const heatTable = (d: Definition, h: Heat): Cell[][] => [
  [h.a.parameter, h.b.parameter, d.objective.name, "standard deviation", `cost, ${d.cost.unit}`],
  ...h.a.values.flatMap((a, r) => h.b.values.map((b, c) => [a, b, h.value[r]?.[c], h.value_sd[r]?.[c], h.cost_median[r]?.[c]])),
];

const pixels = [240, 150] as const; // the browser smooths the rest

const placesOf = (s: ParamScale, values: Value[]): number[] => values.map((v) => s.place(v) ?? 0);

function axisScale(d: Definition, name: string, values: Value[], from: number, to: number) {
  const p = d.parameters.find((q) => q.name === name);
  return paramScale(p ?? { type: "choice", values }, from, to);
}

// strips answer to the pointer.
function strips(heat: Heat, cells: number[][], xs: [number, number][], ys: [number, number][], text: (v: number) => string) {
  const out = [];
  for (const [r, [top, bottom]] of ys.entries()) {
    for (const [c, [left, right]] of xs.entries()) {
      const exists = heat.exists[r]?.[c] !== false;
      const where = `${heat.a.parameter} ${valueText(heat.a.values[r])}, ${heat.b.parameter} ${valueText(heat.b.values[c])}`;
      out.push(<rect key={`${r} ${c}`} x={left} y={top} width={right - left} height={bottom - top} data-tip={exists ? `${where}: ${text(cells[r]?.[c] ?? 0)}` : `${where}: does not exist`} />);
    }
  }
  return out;
}

// stretches reach halfway to the neighbours, and to the ends.
function stretches(places: number[], from: number, to: number): [number, number][] {
  const edge = (k: number) => (k < 0 ? from : k >= places.length - 1 ? to : ((places[k] as number) + (places[k + 1] as number)) / 2);
  return places.map((_, k): [number, number] => {
    const [a, b] = [edge(k - 1), edge(k)];
    return [Math.min(a, b), Math.max(a, b)];
  });
}

function Legend({ of, down, labels }: { of: RampName; down: boolean; labels: { at: number; label: string }[] }) {
  return (
    <div class="legend" aria-hidden="true">
      <svg width="100%" height="12" preserveAspectRatio="none" viewBox="0 0 64 1">
        {Array.from({ length: 64 }, (_, k) => (
          <rect key={k} x={k} y="0" width="1.05" height="1" fill={css(colour(of, down ? 1 - k / 63 : k / 63))} />
        ))}
      </svg>
      <div>
        {labels.map((t) => (
          <span key={t.label} style={{ left: `${100 * t.at}%` }}>
            {t.label}
          </span>
        ))}
      </div>
    </div>
  );
}
