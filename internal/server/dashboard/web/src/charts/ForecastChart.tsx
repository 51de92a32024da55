import type { Cost, Definition, Forecast } from "../api/types";
import { amount, axisName, number, percent, plural } from "../lib/format";
import { between, holds, newScale, ofMoney, place, type Scale, ticks, wide } from "../lib/scale";
import { bandOf } from "./SliceChart";
import { type Box, Frame, XAxis, YAxis } from "./Frame";

interface Guess {
  trial: number;
  state: string;
  low: number;
  middle: number;
  high: number;
  actual: number;
}

const most = 1000;

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
export function ForecastChart({ definition: d, of, list }: Props) {
  const all = guesses(of, list);
  if (all.length === 0) return null;
  const drawn = all.length <= most ? all : Array.from({ length: most }, (_, i) => all[Math.floor((i * (all.length - 1)) / (most - 1))] as Guess);
  const hits = all.filter((g) => g.low <= g.actual && g.actual <= g.high).length;
  const name = of === "value" ? d.objective.name : axisName("cost", d.cost);
  const s = of === "cost" ? ofMoney(guessScale(all, true), d.cost) : guessScale(all, false);
  return (
    <figure>
      <Frame label={`results against forecasts of ${name}`} height={360} most={520} class={of} testid={`forecast-${of}`} table={() => [["trial", "state", "low", "forecast", "high", "result"], ...all.map((g) => [g.trial, g.state, g.low, g.middle, g.high, g.actual])]}>
        {(width) => {
          const box: Box = { left: 62, right: width - 12, top: 28, bottom: 312, width, height: 360 };
          const x = between(s, box.left, box.right);
          const y = between(s, box.bottom, box.top);
          return (
            <>
              <YAxis box={box} ticks={ticks(y, 6)} name={`${name}, result`} />
              <XAxis box={box} ticks={ticks(x, Math.max(3, Math.floor(width / 90)))} name={`${name}, forecast`} />
              <path class="diagonal" d={`M${box.left} ${box.bottom}L${box.right} ${box.top}`} />
              {drawn.map((g) => (
                <path key={`b${g.trial}`} class="bar" d={`M${place(x, g.low)} ${place(y, g.actual)}H${place(x, g.high)}`} />
              ))}
              {drawn.map((g) => (
                <circle key={g.trial} class={`m ${g.state}`} cx={place(x, g.middle)} cy={place(y, g.actual)} r="3.5" data-trial={g.trial} data-tip={words(d.cost, of, g)} />
              ))}
            </>
          );
        }}
      </Frame>
      <figcaption>
        {hits} of {plural(all.length, "trial")} ({percent(hits / all.length)}) within the 80% band
        {all.length > most && `; ${most} of them drawn`}
      </figcaption>
    </figure>
  );
}

function words(c: Cost, of: "value" | "cost", g: Guess): string {
  const text = (v: number) => (of === "value" ? number(v) : amount(c, v));
  return `trial ${g.trial}: forecast ${text(g.middle)} (${text(g.low)} to ${text(g.high)}), result ${text(g.actual)}`;
}
