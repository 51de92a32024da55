import { useCallback, useMemo, useState } from "preact/hooks";
import type { Definition, Trial } from "../api/types";
import { shownRange } from "../lib/course";
import { counts, number } from "../lib/format";
import { memo } from "../lib/memo";
import { metricNames, type Reported, reported } from "../lib/metrics";
import { newScale } from "../lib/scale";
import { Graph } from "./Graph";
import { Marks } from "./Marks";

// MetricChart draws the value of every trial against another number that trials reported, with its limits.
export const MetricChart = memo(({ definition: d, trials }: { definition: Definition; trials: Trial[] }) => {
  const names = useMemo(() => metricNames(d, trials), [d, trials]);
  const [wanted, pick] = useState("");
  const name = names.includes(wanted) ? wanted : (names[0] ?? "");
  const list = useMemo(() => reported(name, trials), [name, trials]);
  const spots = useCallback(() => list.map((r) => ({ x: r.x, y: r.value, trial: r.trial.number })), [list]);
  const limit = d.limits?.[name];
  const edges = [limit?.min, limit?.max].filter((x) => x !== undefined);
  const across = newScale([...list.map((r) => r.x), ...edges], false, 0.04);
  const values = newScale(shownRange(list.map((r) => r.value), d.objective.goal), false, 0.06);
  const least = list.reduce((m, r) => Math.min(m, r.x), Infinity);
  const title = [name, limit?.unit].filter(Boolean).join(", ");
  const told = (r: Reported | undefined) => (r ? `trial ${r.trial.number}: ${d.objective.name} ${number(r.value)}, ${name} ${[number(r.x), limit?.unit].filter(Boolean).join(" ")}` : "");
  return (
    <>
      {names.length > 1 && (
        <label class="small">
          across{" "}
          <select value={name} onChange={(e) => pick(e.currentTarget.value)} data-testid="metric-name">
            {names.map((n) => (
              <option key={n}>{n}</option>
            ))}
          </select>
        </label>
      )}
      <Graph
        key={name}
        label={`${d.objective.name} against ${name}`}
        testid="metric-chart"
        count={list.length}
        height={330}
        class="value"
        by="both"
        x={{ name: title, range: [across.lo, across.hi], ...(least > 0 && { least }) }}
        y={{ name: d.objective.name, range: [values.lo, values.hi] }}
        spots={spots}
        tip={(k) => told(list[k])}
        table={() => [["trial", title, d.objective.name], ...list.map((r) => [r.trial.number, r.x, r.value])]}
      >
        {(v) => (
          <>
            {edges.map((x) => (
              <line key={x} class="budgetline" x1={v.x(x)} x2={v.x(x)} y1={v.box.top} y2={v.box.bottom} />
            ))}
            <Marks view={v} list={list} of={(r) => ({ mark: counts(r.trial) ? "done" : "beyond", x: r.x, y: r.value })} lane={0} />
          </>
        )}
      </Graph>
    </>
  );
});
