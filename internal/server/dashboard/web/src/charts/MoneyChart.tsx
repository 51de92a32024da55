import { useCallback, useMemo } from "preact/hooks";
import type { Definition, Estimate, Ledger, Rest } from "../api/types";
import { type CourseStep, type Mark, markOf, shownRange } from "../lib/course";
import { amount, axisName, isTime, number } from "../lib/format";
import { memo } from "../lib/memo";
import { newScale } from "../lib/scale";
import { Budget, drawnFan, withFan } from "./Ahead";
import { stair } from "./Frame";
import { Graph, type View } from "./Graph";
import { MarkKeys } from "./MarkKeys";
import { Marks } from "./Marks";

interface Props {
  definition: Definition;
  ledger: Ledger;
  steps: CourseStep[];
  rest: Rest | null;
  estimate?: Estimate; // of the best setting, where evaluations have noise
}

const lane = 20; // below the values: trials without one
const [leastMargin, mostMargin] = [0.12, 0.3]; // of the width, for the money that is left

const range = (values: Iterable<number>): [number, number] => (({ lo, hi }) => [lo, hi] as [number, number])(newScale(values, false, 0.06));

// MoneyChart draws the best value against the money spent, with every trial as a mark. The money that is left is a margin at the right,
// with what it is expected to buy. Where evaluations have noise, it draws what is expected of the best setting: a line from best to
// best would follow luck.
export const MoneyChart = memo(({ definition: d, ledger, steps, rest, estimate }: Props) => {
  const marks = useMemo(() => new Set<Mark>(steps.map(markOf)), [steps]);
  const values = useMemo(() => steps.flatMap((s) => (s.trial.state === "done" ? [s.trial.value ?? 0] : [])), [steps]);
  const shown = useMemo(
    () => (values.length === 0 ? null : range(withFan(shownRange(estimate ? [...values, estimate.low, estimate.high] : values, d.objective.goal), rest))),
    [values, d, rest, estimate],
  );
  const spots = useCallback(() => steps.map((s) => ({ ...placeOf(s), trial: s.trial.number })), [steps]);
  if (steps.length === 0) return null;
  const spent = steps[steps.length - 1]?.spent ?? 0;
  const left = Math.max(ledger.total - spent, 0);
  const share = left > 1e-9 * ledger.total ? Math.min(Math.max(left / ledger.total, leastMargin), mostMargin) : 0;
  const least = values.reduce((m, v) => Math.min(m, v), Infinity);
  const first = steps.find((s) => s.spent > 0)?.spent;
  return (
    <>
      <Graph
        label={`${estimate ? "" : "the best "}${d.objective.name} against the money spent`}
        testid="money-chart"
        count={steps.length}
        height={shown === null ? 150 : 340}
        class="value"
        x={{ name: share > 0 ? "" : axisName("spent", d.cost), range: [0, spent > 0 ? spent : ledger.total], least: first, clock: isTime(d.cost) }}
        y={shown && { name: d.objective.name, range: shown, ...(least > 0 && { least }) }}
        lane={steps.some((s) => s.trial.state !== "done") ? lane : 0}
        spots={spots}
        tip={(k) => (steps[k] ? words(d, steps[k]) : "")}
        side={share > 0 ? { share, draw: (v, from, to) => <Budget definition={d} ledger={ledger} left={left} fan={shown === null ? null : drawnFan(v, from, to, rest)} view={v} from={from} to={to} /> } : undefined}
        table={() => [["trial", "state", `spent, ${d.cost.unit}`, `cost, ${d.cost.unit}`, d.objective.name, "best so far"], ...steps.map((s) => [s.trial.number, s.trial.state, s.spent, s.trial.charged ?? 0, s.trial.state === "done" ? s.trial.value : null, s.best])]}
      >
        {(v) => (
          <>
            {spent > ledger.total && <Past view={v} total={ledger.total} text={`budget ${amount(d.cost, ledger.total)}`} />}
            {estimate && shown && <path class="band" d={`M${v.box.left} ${v.y(estimate.low)}H${v.x(spent)}V${v.y(estimate.high)}H${v.box.left}Z`} />}
            {estimate && shown && <path class="curve" d={`M${v.box.left} ${v.y(estimate.value)}H${v.x(spent)}`} />}
            <path class="curve" d={stair(steps.flatMap((s): [number, number][] => (s.best === null ? [] : [[v.x(s.spent), v.y(s.best)]])), v.x(spent))} />
            <Marks view={v} list={steps} of={(s) => ({ mark: markOf(s), ...placeOf(s) })} lane={lane} />
          </>
        )}
      </Graph>
      <MarkKeys marks={marks} />
    </>
  );
});

// placeOf is where a trial is drawn. One without a value is in the lane below.
const placeOf = (s: CourseStep): { x: number; y: number | null } => ({ x: s.spent, y: s.trial.state === "done" ? (s.trial.value ?? 0) : null });

function words(d: Definition, s: CourseStep): string {
  const t = s.trial;
  const cost = amount(d.cost, t.charged ?? 0);
  if (t.state !== "done") return `trial ${t.number} ${t.state}: cost ${cost}`;
  return `trial ${t.number}: ${d.objective.name} ${number(t.value ?? 0)}${s.better ? ", the best so far," : s.mark === "leading" ? ", at the best setting," : ""} for ${cost}`;
}

// Past is what was spent over the budget.
function Past({ view: v, total, text }: { view: View; total: number; text: string }) {
  const x = v.x(total);
  return (
    <>
      <rect class="past" x={x} y={v.box.top} width={Math.max(0, v.box.right - x)} height={v.box.bottom - v.box.top} />
      <path class="budgetline" d={`M${x} ${v.box.top - 4}V${v.box.bottom}`} />
      <text class="name end" x={x - 4} y={v.box.top + 12}>
        {text}
      </text>
    </>
  );
}
