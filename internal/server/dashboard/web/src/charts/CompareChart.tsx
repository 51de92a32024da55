import { useCallback, useMemo } from "preact/hooks";
import type { Study } from "../api/types";
import type { CourseStep } from "../lib/course";
import { axisName, isTime, number } from "../lib/format";
import { newScale } from "../lib/scale";
import { stair } from "./Frame";
import { Graph } from "./Graph";

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
  const lines = useMemo(() => list.map((c) => line(c, share)), [list, share]);
  const spots = useMemo(() => [...new Set(lines.flatMap((l) => l.map((p) => p[0])))].sort((a, b) => a - b).map((x) => ({ x, y: null })), [lines]);
  const pointed = useCallback(() => spots, [spots]);
  const all = lines.flatMap((l) => l.map((p) => p[1]));
  const { lo, hi } = newScale(all, false, 0.06);
  const end = spots[spots.length - 1]?.x ?? 1;
  const unit = [...new Set(list.map((c) => c.study.definition.cost.unit))].join(", ");
  const name = [...new Set(list.map((c) => c.study.definition.objective.name))].join(", ");
  const time = list.every((c) => isTime(c.study.definition.cost));
  const spent = share ? "spent, % of the budget" : axisName("spent", { unit, source: time ? "walltime" : "reported" });
  const tip = (k: number) =>
    list
      .flatMap((c, i) => {
        const at = lines[i]?.findLast((p) => p[0] <= (spots[k]?.x ?? 0));
        return at ? [`${c.study.name}: ${number(at[1])}`] : [];
      })
      .join("\n");
  return (
    <Graph
      key={String(share)}
      label="the best values of the studies against the money spent"
      testid="compare-chart"
      count={list.length}
      height={380}
      x={{ name: spent, range: [0, end], least: spots.find((s) => s.x > 0)?.x, clock: time && !share }}
      y={{ name, range: [lo, hi], ...(lo > 0 && { least: all.reduce((m, v) => Math.min(m, v)) }) }}
      spots={pointed}
      tip={tip}
      table={() => [["study", spent, name], ...lines.flatMap((l, k) => l.map((p) => [list[k]?.study.name, ...p]))]}
    >
      {(v) =>
        lines.map((l, k) => {
          const last = l[l.length - 1];
          return (
            <g key={k} class={`line k${k % colours}${k >= colours ? " dashed" : ""}`}>
              <path class="curve" d={stair(l.map(([x, y]) => [v.x(x), v.y(y)]), last ? v.x(last[0]) : 0)} />
              {last && list[k]?.study.best?.estimate && <circle cx={v.x(last[0])} cy={v.y(last[1])} r="4.5" />}
            </g>
          );
        })
      }
    </Graph>
  );
}

// line is the best value after each trial that had one, against what was spent by then.
function line({ study, steps }: Compared, share: boolean): [number, number][] {
  const by = share ? 100 / study.ledger.total : 1;
  return steps.flatMap((s, k): [number, number][] => {
    const best = k === steps.length - 1 ? (study.best?.estimate?.value ?? s.best) : s.best;
    return best === null ? [] : [[s.spent * by, best]];
  });
}
