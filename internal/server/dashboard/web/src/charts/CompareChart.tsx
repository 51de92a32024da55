import { useMemo } from "preact/hooks";
import uPlot from "uplot";
import type { Study } from "../api/types";
import type { CourseStep } from "../lib/course";
import { isTime, number } from "../lib/format";
import { ink } from "../lib/theme";
import { Plot, type PlotOptions, stepped } from "./Plot";
import { range, xAxis, yAxis } from "./plotAxes";

export interface Compared {
  study: Study;
  steps: CourseStep[];
}

interface Props {
  list: Compared[];
  share: boolean; // of the budget, instead of money
}

export const colours = 8;

// CompareChart lays the best values of several studies over each other. Of a study with noise it shows what is expected of the best
// setting now, as a dot.
export function CompareChart({ list, share }: Props) {
  const data = useMemo(() => joined(list, share), [list, share]);
  const unit = [...new Set(list.map((c) => c.study.definition.cost.unit))].join(", ");
  const name = [...new Set(list.map((c) => c.study.definition.objective.name))].join(", ");
  const options = (): PlotOptions => {
    const all = list.flatMap((c) => bests(c).flatMap((v) => (v === null ? [] : [v])));
    const end = Math.max(...list.map((c) => (share ? Math.max(100, (100 * c.study.ledger.spent) / c.study.ledger.total) : Math.max(c.study.ledger.total, c.study.ledger.spent))));
    return {
      padding: [10, 12, 0, 0],
      scales: { x: { time: false, range: [0, end * 1.015] }, y: { range: range(all, 0.06) } },
      axes: [share ? xAxis("spent, % of the budget") : xAxis("spent", { unit, source: list.every((c) => isTime(c.study.definition.cost)) ? "walltime" : "reported" }), yAxis(name)],
      cursor: { drag: { x: false, y: false }, y: false },
      series: [
        {},
        ...list.map((c, k) => ({
          label: c.study.name,
          paths: stepped,
          stroke: ink(`c${k % colours}`),
          width: 2.4,
          dash: k >= colours ? [6, 4] : [],
          points: c.study.best?.estimate ? { show: true, size: 9, fill: ink(`c${k % colours}`) } : { show: false },
          spanGaps: true,
        })),
      ],
    };
  };
  const tip = (i: number) =>
    list
      .map((c, k) => {
        const v = lastBefore(data[k + 1], i);
        return v === null ? "" : `${c.study.name}: ${number(v)}`;
      })
      .filter((s) => s !== "")
      .join("\n");
  return <Plot label="the best values of the studies against the money spent" height={380} options={options} deps={[list, share]} data={data} tip={tip} testid="compare-chart" count={list.length} />;
}

// bests are the best values after each trial.
const bests = ({ study, steps }: Compared): (number | null)[] => steps.map((s, k) => (k === steps.length - 1 ? (study.best?.estimate?.value ?? s.best) : s.best));

function lastBefore(ys: ArrayLike<number | null | undefined> | undefined, i: number): number | null {
  for (let k = i; ys && k >= 0; k--) {
    const v = ys[k];
    if (typeof v === "number") return v;
  }
  return null;
}

// joined makes one axis of all amounts; between its own a study has gaps, which are spanned.
function joined(list: Compared[], share: boolean): uPlot.AlignedData {
  const tables = list.map((c): uPlot.AlignedData => {
    const { study, steps } = c;
    const values = bests(c);
    const by = share ? 100 / study.ledger.total : 1;
    const x: number[] = [];
    const y: (number | null)[] = [];
    for (const [k, s] of steps.entries()) {
      const best = values[k] ?? null;
      if (x[x.length - 1] === s.spent * by) y[y.length - 1] = best;
      else {
        x.push(s.spent * by);
        y.push(best);
      }
    }
    return [x, y];
  });
  return tables.length === 0 ? [[]] : uPlot.join(tables);
}
