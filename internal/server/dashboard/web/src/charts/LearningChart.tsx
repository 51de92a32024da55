import { useCallback, useMemo } from "preact/hooks";
import type { Definition, Trial } from "../api/types";
import { shownRange } from "../lib/course";
import { amount, number } from "../lib/format";
import { type Curve, curves, type Kind, logarithmic } from "../lib/learning";
import { memo } from "../lib/memo";
import { newScale } from "../lib/scale";
import { Graph, type View } from "./Graph";

interface Props {
  definition: Definition;
  trials: Trial[];
  best: number | null;
}

const kinds: Kind[] = ["early", "look", "", "top"];
const crowd = 30; // lines, which would be an area if they were thick
const round = (v: number): number => Math.round(v * 10) / 10;

// LearningChart draws the value of each trial against the fidelity that it had reached. It is nothing if no trial has reported values on
// its way.
export const LearningChart = memo(({ definition: d, trials, best }: Props) => {
  const list = useMemo(() => curves(d, trials, best), [d, trials, best]);
  // The last value of a trial comes first: it is the one that is ringed when another chart points at the trial.
  const points = useMemo(() => list.flatMap((c) => c.steps.toReversed().map((s) => ({ ...s, trial: c.trial }))), [list]);
  const spots = useCallback(() => points.map((p) => ({ x: p.step, y: p.value, trial: p.trial.number })), [points]);
  if (!d.fidelity || list.length === 0) return null;
  const name = d.fidelity.name;
  const [least, most] = points.reduce(([lo, hi], p) => [Math.min(lo, p.step), Math.max(hi, p.step)], [Infinity, 0]);
  const { lo, hi } = newScale(shownRange(points.map((p) => p.value), d.objective.goal), false, 0.06);
  return (
    <Graph
      label={`${d.objective.name} of each trial against ${name}`}
      testid="learning-chart"
      count={list.length}
      height={330}
      by="both"
      x={{ name, range: [0, most], least, log: logarithmic(d) }}
      y={{ name: d.objective.name, range: [lo, hi], ...(lo > 0 && { least: lo }) }}
      spots={spots}
      tip={(k) => ((p) => (p ? `trial ${p.trial.number} ${p.trial.state}: ${d.objective.name} ${number(p.value)} at ${name}=${number(p.step)}${p.trial.charged ? `, for ${amount(d.cost, p.trial.charged)}` : ""}` : ""))(points[k])}
      table={() => [["trial", "state", name, d.objective.name], ...list.flatMap((c) => c.steps.map((s) => [c.trial.number, c.trial.state, s.step, s.value]))]}
    >
      {(v) => kinds.map((kind) => <Lines key={kind} view={v} kind={kind} list={list.filter((c) => c.kind === kind)} />)}
    </Graph>
  );
});

// Lines draws all curves of a kind as one path, and their ends as dots.
function Lines({ view: v, kind, list }: { view: View; kind: Kind; list: Curve[] }) {
  const at = (s: { step: number; value: number }) => `${round(v.x(s.step))} ${round(v.y(s.value))}`;
  const ends = list.flatMap((c) => c.steps.slice(-1));
  return (
    <g class={`learning ${kind}${list.length > crowd ? " many" : ""}`}>
      <path class="curve" d={list.map((c) => `M${c.steps.map(at).join("L")}`).join("")} />
      <path class="ends" d={ends.map((s) => `M${at(s)}h0`).join("")} />
    </g>
  );
}
