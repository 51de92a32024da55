import type { Definition, Expected, Goal, Param, Slice, Trial, Value } from "../api/types";
import { shownRange } from "../lib/course";
import { amount, axisName, counts, number, valueText } from "../lib/format";
import { valueBand } from "../lib/words";
import { newScale, ofMoney, type ParamScale, paramScale, place, ticks, wide } from "../lib/scale";
import { type Box, Frame, path, slanted, XAxis, YAxis } from "./Frame";

interface Props {
  definition: Definition;
  slice: Slice;
  of: "value" | "cost";
  tried: Value[]; // drawn as strokes at the bottom
  range: number[]; // what all slices of the kind cover, so that they can be compared
}

interface Band {
  low: number;
  middle: number;
  high: number;
}

export function bandOf(of: "value" | "cost", o: Expected): Band {
  if (of === "cost") return { low: o.cost_low, middle: o.cost_median, high: o.cost_high };
  const [low, high] = valueBand(o);
  return { low, middle: o.value, high };
}

// sliceRange is what a set of slices needs for room: what was measured, and all middles. Bands that the data have not narrowed are cut at the frame.
export function sliceRange(of: "value" | "cost", slices: Slice[], trials: Trial[], goal: Goal): number[] {
  const seen = trials.filter(counts);
  const measured = of === "value" ? shownRange(seen.map((t) => t.value ?? 0), goal) : seen.flatMap((t) => t.charged || []);
  return [...measured, ...slices.flatMap((s) => s.points.map((p) => bandOf(of, p).middle))];
}

// SliceChart draws what becomes of value or cost along one parameter.
export function SliceChart({ definition: d, slice, of, tried, range }: Props) {
  const title = of === "value" ? d.objective.name : axisName("cost", d.cost);
  const param = d.parameters.find((p) => p.name === slice.parameter);
  return (
    <Frame label={`${title} along ${slice.parameter}`} height={212} class={of} testid={`slice-${of}-${slice.parameter}`} table={() => [[slice.parameter, "low", title, "high"], ...slice.points.map((p, k) => ((b) => [slice.values[k], b.low, b.middle, b.high])(bandOf(of, p)))]}>
      {(width) => {
        const [left, right] = [58, width - 10];
        const x = scaleFor(param, slice, left, right);
        const marks = x.marks(Math.max(2, Math.floor(width / 85)));
        const box: Box = { left, right, top: 28, bottom: 172 - slanted(marks), width, height: 212 };
        const y =
          of === "value" ? newScale(range, false, 0.05, box.bottom, box.top) : ofMoney(newScale(range, wide(range.filter((v) => v > 0)), 0.05, box.bottom, box.top), d.cost);
        const points = slice.points.map((p, k) => ({ v: slice.values[k] as Value, x: x.place(slice.values[k]) ?? box.left, ...bandOf(of, p) }));
        const at = x.place(slice.at ?? undefined);
        const text = (v: number) => (of === "value" ? number(v) : amount(d.cost, v));
        return (
          <>
            <YAxis box={box} ticks={ticks(y, 4)} name={title} />
            <XAxis box={box} ticks={marks} name={slice.parameter} />
            {at !== null && <path class="at" d={`M${at} ${box.top}V${box.bottom}`} />}
            {x.named ? (
              points.map((p) => (
                <g key={String(p.v)}>
                  <path class="whisker" d={`M${p.x} ${place(y, p.low)}V${place(y, p.high)}`} />
                  <circle class="m done" cx={p.x} cy={place(y, p.middle)} r="4" />
                </g>
              ))
            ) : (
              <>
                <path class="band" d={path([...points.map((p): [number, number] => [p.x, place(y, p.high)]), ...points.toReversed().map((p): [number, number] => [p.x, place(y, p.low)])], true)} />
                <path class="curve" d={path(points.map((p) => [p.x, place(y, p.middle)]))} />
              </>
            )}
            <path class="rug" d={tried.map((v) => x.place(v)).filter((v) => v !== null).map((v) => `M${Math.round(v * 10) / 10} ${box.bottom}v-6`).join("")} />
            <g class="strips">
              {points.map((p, k) => {
                const from = k === 0 ? box.left : (p.x + (points[k - 1]?.x ?? 0)) / 2;
                const to = k === points.length - 1 ? box.right : (p.x + (points[k + 1]?.x ?? 0)) / 2;
                return (
                  <rect key={k} x={from} y={box.top} width={Math.max(0, to - from)} height={box.bottom - box.top} data-tip={`${slice.parameter}=${valueText(p.v)}: ${text(p.middle)} (${text(p.low)} to ${text(p.high)})`} />
                );
              })}
            </g>
          </>
        );
      }}
    </Frame>
  );
}

function scaleFor(param: Param | undefined, slice: Slice, from: number, to: number): ParamScale {
  if (param) return paramScale(param, from, to);
  const numbers = slice.values.filter((v): v is number => typeof v === "number");
  if (slice.kind === "float" || slice.kind === "int") {
    return paramScale({ type: slice.kind, min: Math.min(...numbers), max: Math.max(...numbers), log: slice.log }, from, to);
  }
  return paramScale({ type: "choice", values: slice.values }, from, to);
}
