import { useCallback, useMemo } from "preact/hooks";
import type { Cost, Definition, Forecast } from "../api/types";
import { amount, axisName, isTime, number, percent, plural } from "../lib/format";
import { memo } from "../lib/memo";
import { holds, newScale, type Scale, wide } from "../lib/scale";
import { path } from "./Frame";
import { Graph } from "./Graph";
import { bandOf } from "./SliceChart";

interface Guess {
  trial: number;
  state: string;
  low: number;
  middle: number;
  high: number;
  actual: number;
}

const most = 1000;
const steps = 60; // of the line on which a forecast was right, which is bent if one axis is logarithmic

function guesses(of: "value" | "cost", list: Forecast[]): Guess[] {
  return list.flatMap((f) => {
    const actual = of === "value" ? f.value : f.cost > 0 ? f.cost : undefined;
    return actual === undefined || (of === "cost" && f.state !== "done" && f.state !== "cut") ? [] : [{ trial: f.trial, state: f.state, actual, ...bandOf(of, f.expected) }];
  });
}

// guessScale covers the results, and the forecasts that are not far off.
function guessScale(list: Guess[], mayLog: boolean): Scale {
  const actual = list.map((g) => g.actual);
  const log = mayLog && wide(actual);
  const s = newScale(actual, log, 0.5);
  return newScale([...actual, ...list.map((g) => g.middle).filter((m) => holds(s, m))], log, 0.06);
}

interface Props {
  definition: Definition;
  of: "value" | "cost";
  list: Forecast[];
}

// ForecastChart draws results against forecasts.
export const ForecastChart = memo(({ definition: d, of, list }: Props) => {
  const all = useMemo(() => guesses(of, list), [of, list]);
  const drawn = all.length <= most ? all : Array.from({ length: most }, (_, i) => all[Math.floor((i * (all.length - 1)) / (most - 1))] as Guess);
  const spots = useCallback(() => drawn.map((g) => ({ x: g.middle, y: g.actual, trial: g.trial })), [all]);
  if (all.length === 0) return null;
  const done = all.filter((g) => g.state === "done"); // the forecast was of whole trials
  const hits = done.filter((g) => g.low <= g.actual && g.actual <= g.high).length;
  const name = of === "value" ? d.objective.name : axisName("cost", d.cost);
  const s = guessScale(all, of === "cost");
  const range = [s.lo, s.hi].map((v) => (s.log ? 10 ** v : v)) as [number, number];
  const axis = { range, log: s.log, clock: of === "cost" && isTime(d.cost), ...(range[0] > 0 && { least: range[0] }) };
  const equal = Array.from({ length: steps + 1 }, (_, k) => range[0] + (k / steps) ** 3 * (range[1] - range[0])); // close together at the low end, for logarithms
  return (
    <figure>
      <Graph
        label={`results against forecasts of ${name}`}
        testid={`forecast-${of}`}
        count={all.length}
        height={360}
        class={of}
        by="both"
        x={{ ...axis, name: `${name}, forecast` }}
        y={{ ...axis, name: `${name}, result` }}
        spots={spots}
        tip={(k) => (drawn[k] ? words(d.cost, of, drawn[k]) : "")}
        table={() => [["trial", "state", "low", "forecast", "high", "result"], ...all.map((g) => [g.trial, g.state, g.low, g.middle, g.high, g.actual])]}
      >
        {(v) => {
          const within = (x: number) => Math.min(Math.max(v.x(x), v.box.left - 20), v.box.right + 20);
          return (
            <>
              <path class="diagonal" d={path(equal.map((e) => [v.x(e), v.y(e)]))} />
              {drawn.map((g) => (
                <path key={`b${g.trial}`} class="bar" d={`M${within(g.low)} ${v.y(g.actual)}H${within(g.high)}`} />
              ))}
              {drawn.map((g) => (
                <circle key={g.trial} class={`m ${g.state}`} cx={v.x(g.middle)} cy={v.y(g.actual)} r="3.5" />
              ))}
            </>
          );
        }}
      </Graph>
      <figcaption>
        {done.length > 0 ? `${hits} of ${plural(done.length, "trial")} (${percent(hits / done.length)}) within the 80% band` : "no trial is done"}
        {all.length > done.length && `; not counted: ${plural(all.length - done.length, "trial")} without a value`}
        {all.length > most && `; ${most} of all drawn`}
      </figcaption>
    </figure>
  );
});

function words(c: Cost, of: "value" | "cost", g: Guess): string {
  const text = (v: number) => (of === "value" ? number(v) : amount(c, v));
  return `trial ${g.trial}: forecast ${text(g.middle)} (${text(g.low)} to ${text(g.high)}), result ${text(g.actual)}`;
}
