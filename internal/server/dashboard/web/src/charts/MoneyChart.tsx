import { useCallback, useMemo, useState } from "preact/hooks";
import type { Definition, Estimate, Ledger, Rest } from "../api/types";
import { type CourseStep, type Mark, markOf, shownRange, shownValues } from "../lib/course";
import { amount, axisName, counts, isTime, number } from "../lib/format";
import { memo } from "../lib/memo";
import { piled } from "../lib/pile";
import { newScale } from "../lib/scale";
import { Choice } from "../parts/Choice";
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
// best would follow luck. Where quick trials beside slow ones would be piled up, it draws one trial after the other, unless the viewer
// has chosen.
export const MoneyChart = memo(({ definition: d, ledger, steps, rest, estimate }: Props) => {
  const marks = useMemo(() => new Set<Mark>(steps.map(markOf)), [steps]);
  const values = useMemo(() => shownValues(steps), [steps]);
  const shown = useMemo(
    () => (values.length === 0 ? null : range(withFan(shownRange(estimate ? [...values, estimate.low, estimate.high] : values, d.objective.goal), rest))),
    [values, d, rest, estimate],
  );
  const [chosen, choose] = useState<Over | null>(null);
  const spent = steps[steps.length - 1]?.spent ?? 0;
  const heaped = useMemo(() => piled(steps.map((s) => s.spent), 0, spent), [steps, spent]);
  const over = chosen ?? (heaped ? "trials" : "money");
  const placed = useMemo(() => steps.map((s, k) => ({ mark: markOf(s), trial: s.trial.number, best: s.best, x: over === "money" ? s.spent : k + 1, y: valueAt(s) })), [steps, over]);
  const spots = useCallback(() => placed, [placed]);
  if (steps.length === 0) return null;
  const end = over === "money" ? spent : steps.length;
  const left = Math.max(ledger.total - spent, 0);
  const share = left > 1e-9 * ledger.total ? Math.min(Math.max(left / ledger.total, leastMargin), mostMargin) : 0;
  const least = values.reduce((m, v) => Math.min(m, v), Infinity);
  const first = steps.find((s) => s.spent > 0)?.spent;
  const begin = placed[steps.findIndex((s) => counts(s.trial))]?.x ?? 0; // the first value that counts
  return (
    <>
      <Choice
        label="values against"
        value={over}
        onChange={choose}
        testid="money-over"
        options={[
          { value: "money", text: "over money" },
          { value: "trials", text: "over trials" },
        ]}
      />
      <Graph
        key={over}
        label={`${estimate ? "" : "the best "}${d.objective.name} against ${over === "money" ? "the money spent" : "the number of trials"}`}
        testid="money-chart"
        count={steps.length}
        height={shown === null ? 150 : 340}
        class="value"
        x={over === "trials" ? { name: share > 0 ? "" : ended, range: [0, end], whole: true } : { name: share > 0 ? "" : axisName("spent", d.cost), range: [0, spent > 0 ? spent : ledger.total], least: first, clock: isTime(d.cost) }}
        y={shown && { name: d.objective.name, range: shown, ...(least > 0 && { least: Math.max(least, shown[0]) }) }}
        lane={steps.some((s) => s.trial.state !== "done") ? lane : 0}
        spots={spots}
        tip={(k) => (steps[k] ? words(d, steps[k]) : "")}
        side={share > 0 ? { share, draw: (v, from, to) => <Budget name={over === "money" ? axisName("spent", d.cost) : ended} definition={d} ledger={ledger} left={left} fan={shown === null ? null : drawnFan(v, from, to, rest)} view={v} from={from} to={to} /> } : undefined}
        table={() => [["trial", "state", `spent, ${d.cost.unit}`, `cost, ${d.cost.unit}`, d.objective.name, "best so far"], ...steps.map((s) => [s.trial.number, s.trial.state, s.spent, s.trial.charged ?? 0, s.trial.state === "done" ? s.trial.value : null, s.best])]}
      >
        {(v) => (
          <>
            {over === "money" && spent > ledger.total && <Past view={v} total={ledger.total} text={`budget ${amount(d.cost, ledger.total)}`} />}
            {estimate && shown && <path class="band" d={`M${v.x(begin)} ${v.y(estimate.low)}H${v.x(end)}V${v.y(estimate.high)}H${v.x(begin)}Z`} />}
            {estimate && shown && <path class="curve" d={`M${v.x(begin)} ${v.y(estimate.value)}H${v.x(end)}`} />}
            <path class="curve" d={stair(placed.flatMap((p): [number, number][] => (p.best === null ? [] : [[v.x(p.x), v.y(p.best)]])), v.x(end))} />
            <Marks view={v} list={placed} of={(p) => p} lane={lane} />
          </>
        )}
      </Graph>
      <MarkKeys marks={marks} />
    </>
  );
});

type Over = "money" | "trials";

const ended = "ended trials";

// valueAt is how high a trial is drawn. One without a value is in the lane below.
const valueAt = (s: CourseStep): number | null => (s.trial.state === "done" ? (s.trial.value ?? 0) : null);

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
