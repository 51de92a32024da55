import { useCallback, useMemo } from "preact/hooks";
import type { Definition, Trial } from "../api/types";
import { shownRange } from "../lib/course";
import { amount, axisName, isTime, number, percent } from "../lib/format";
import { memo } from "../lib/memo";
import { costAxis } from "../lib/pile";
import { studyPath } from "../lib/router";
import { newScale, wide } from "../lib/scale";
import { type Priced, priced } from "../lib/trade";
import { Head } from "../parts/Head";
import { Link } from "../parts/Link";
import { stair } from "./Frame";
import { Graph } from "./Graph";
import { Marks } from "./Marks";

interface Props {
  study: string;
  definition: Definition;
  trials: Trial[];
}

const most = 8; // rows of the table

// TradeChart draws the value of every trial against its cost, and the front: the trials that no other beats in both.
export const TradeChart = memo(({ study, definition: d, trials }: Props) => {
  const list = useMemo(() => priced(d.objective.goal, trials), [d, trials]);
  const axis = useMemo(() => costAxis(list.map((p) => p.cost)), [list]);
  const at = (p: Priced) => Math.min(p.cost, axis.most);
  const spots = useCallback(() => list.map((p) => ({ x: at(p), y: p.value, trial: p.trial.number })), [list, axis]);
  const front = list.filter((p) => p.front);
  const costs = newScale([axis.least, axis.most], false, 0.04);
  const values = newScale(shownRange(list.map((p) => p.value), d.objective.goal), false, 0.06);
  const least = list.reduce((m, p) => Math.min(m, p.value), Infinity);
  if (list.length < 2) return <p class="say">There are too few results yet.</p>;
  return (
    <>
      <Graph
        key={String(axis.log)}
        label={`${d.objective.name} against the cost of each trial`}
        testid="trade-chart"
        count={list.length}
        height={330}
        class="value"
        by="both"
        x={{ name: axisName("cost of a trial", d.cost), range: [wide([axis.least, axis.most]) ? 0 : Math.max(costs.lo, 0), costs.hi], least: list[0]?.cost, log: axis.log, clock: isTime(d.cost) }}
        y={{ name: d.objective.name, range: [values.lo, values.hi], ...(least > 0 && { least: Math.max(least, values.lo) }) }}
        spots={spots}
        tip={(k) => ((p) => (p ? `trial ${p.trial.number}: ${d.objective.name} ${number(p.value)} for ${amount(d.cost, p.cost)}` : ""))(list[k])}
        table={() => [["trial", `cost, ${d.cost.unit}`, d.objective.name, "on the front"], ...list.map((p) => [p.trial.number, p.cost, p.value, p.front])]}
      >
        {(v) => (
          <>
            <path class="curve" d={stair(front.map((p) => [v.x(at(p)), v.y(p.value)]), v.x(axis.most))} />
            <Marks view={v} list={list} of={(p) => ({ mark: p.front ? "better" : "done", x: at(p), y: p.value })} lane={0} />
          </>
        )}
      </Graph>
      {axis.beyond > 0 && (
        <p class="faint small" data-testid="trade-beyond">
          {axis.beyond === 1 ? "One trial" : `${axis.beyond} trials`} that cost more, up to {amount(d.cost, list[list.length - 1]?.cost ?? 0)}, {axis.beyond === 1 ? "is" : "are"} drawn at the right edge.
        </p>
      )}
      <Front study={study} definition={d} front={front} />
    </>
  );
});

// Front says what the cheaper settings lose, the best first.
function Front({ study, definition: d, front }: { study: string; definition: Definition; front: Priced[] }) {
  const best = front[front.length - 1];
  if (!best) return null;
  return (
    <div class="scroll">
      <table class="plain" data-testid="trade-table">
        <Head list={["trial", { n: d.objective.name }, { n: "loses" }, { n: "cost" }, { n: "saves" }]} />
        <tbody>
          {front.toReversed().slice(0, most).map((p) => (
            <tr key={p.trial.number} data-trial={p.trial.number}>
              <td>
                <Link to={studyPath(study, "trials", p.trial.number)}>{p.trial.number}</Link>
              </td>
              <td class="n">{number(p.value)}</td>
              <td class="n">{p === best ? "–" : number(Math.abs(p.value - best.value))}</td>
              <td class="n">{amount(d.cost, p.cost)}</td>
              <td class="n">{p === best ? "–" : percent(1 - p.cost / best.cost)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
