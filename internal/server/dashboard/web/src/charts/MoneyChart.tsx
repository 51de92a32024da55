import { useMemo } from "preact/hooks";
import uPlot from "uplot";
import type { Definition, Estimate, Ledger, Rest } from "../api/types";
import { type CourseStep, type Mark, markOf, shownRange, standsOut } from "../lib/course";
import { amount, number } from "../lib/format";
import { ink } from "../lib/theme";
import { drawFan, withFan } from "./fan";
import { drawMark, markInk } from "./marks";
import { MarkKeys } from "./MarkKeys";
import { Plot, type PlotOptions, stepped } from "./Plot";
import { range, xAxis, yAxis } from "./plotAxes";

interface Props {
  definition: Definition;
  ledger: Ledger;
  steps: CourseStep[];
  rest: Rest | null;
  estimate?: Estimate; // of the best setting, where evaluations have noise
}

const lane = 20; // below the values: trials without one
const crowd = 300;

// MoneyChart draws the best value against the money spent, with every trial as a mark, and what the rest is expected to buy. Where
// evaluations have noise, it draws what is expected of the best setting: a line from best to best would follow luck.
export function MoneyChart({ definition: d, ledger, steps, rest, estimate }: Props) {
  const data = useMemo<uPlot.AlignedData>(() => [steps.map((s) => s.spent), steps.map((s) => s.best)], [steps]);
  const marks = useMemo(() => new Set<Mark>(steps.map(markOf)), [steps]);
  const shown = useMemo(() => {
    const values = steps.flatMap((s) => (s.trial.state === "done" ? [s.trial.value ?? 0] : []));
    if (values.length === 0) return null;
    const [lo, hi] = range(withFan(shownRange(estimate ? [...values, estimate.low, estimate.high] : values, d.objective.goal), rest), 0.06);
    const without = steps.some((s) => s.trial.state !== "done");
    return [without ? lo - (hi - lo) * 0.09 : lo, hi] as [number, number];
  }, [steps, d, rest, estimate]);
  const tip = (i: number) => (steps[i] ? words(d, steps[i]) : "");
  const options = (): PlotOptions => moneyOptions(d, ledger, steps, shown, rest, estimate);
  if (shown === null && steps.length === 0) return null;
  return (
    <>
      <Plot
        label={`${estimate ? "" : "the best "}${d.objective.name} against the money spent`}
        height={shown === null ? 150 : 330}
        options={options}
        deps={[steps, ledger.total, shown?.[0], shown?.[1], rest, estimate]}
        data={data}
        tip={tip}
        testid="money-chart"
        count={steps.length}
      />
      <MarkKeys marks={marks} />
    </>
  );
}

function words(d: Definition, s: CourseStep): string {
  const t = s.trial;
  const cost = amount(d.cost, t.charged ?? 0);
  if (t.state !== "done") return `trial ${t.number} ${t.state}: cost ${cost}`;
  return `trial ${t.number}: ${d.objective.name} ${number(t.value ?? 0)}${s.better ? ", the best so far," : s.mark === "leading" ? ", at the best setting," : ""} for ${cost}`;
}

function moneyOptions(d: Definition, ledger: Ledger, steps: CourseStep[], shown: [number, number] | null, rest: Rest | null, estimate?: Estimate): PlotOptions {
  const end = 1.015 * Math.max(ledger.total, ledger.spent);
  return {
    padding: [24, 12, 0, shown === null ? 12 : 0], // without an axis the first tick needs room
    scales: { x: { time: false, range: [0, end] }, y: { range: shown ?? [0, 1] } },
    axes: [xAxis("spent", d.cost), { ...yAxis(d.objective.name), show: shown !== null }],
    cursor: { drag: { x: false, y: false }, points: { show: false }, y: false },
    series: [{}, { paths: stepped, stroke: ink("value"), width: 2.5, points: { show: false } }],
    hooks: {
      drawAxes: [
        (u) => {
          if (rest !== null && shown !== null) drawFan(u, ledger.spent, rest);
          if (estimate && shown !== null) drawEstimate(u, ledger.spent, estimate);
          drawBudget(u, d, ledger);
        },
      ],
      draw: [(u) => drawMarks(u, steps)],
    },
  };
}

// drawEstimate draws what is expected of the best setting, up to the money spent: what is thought now.
function drawEstimate(u: uPlot, spent: number, e: Estimate): void {
  const c = u.ctx;
  const { left } = u.bbox;
  const right = u.valToPos(spent, "x", true);
  const [low, value, high] = [e.low, e.value, e.high].map((v) => u.valToPos(v, "y", true)) as [number, number, number];
  c.save();
  c.fillStyle = ink("value");
  c.globalAlpha = 0.2;
  c.fillRect(left, high, right - left, low - high);
  c.globalAlpha = 1;
  c.strokeStyle = ink("value");
  c.lineWidth = 2.5 * devicePixelRatio;
  c.beginPath();
  c.moveTo(left, value);
  c.lineTo(right, value);
  c.stroke();
  c.restore();
}

function drawBudget(u: uPlot, d: Definition, ledger: Ledger): void {
  const c = u.ctx;
  const px = devicePixelRatio;
  const x = u.valToPos(ledger.total, "x", true);
  const { left, top, width, height } = u.bbox;
  c.save();
  if (ledger.spent > ledger.total) {
    c.fillStyle = ink("past");
    c.fillRect(x, top, left + width - x, height);
  }
  c.strokeStyle = ink("ink");
  c.setLineDash([2 * px, 3 * px]);
  c.beginPath();
  c.moveTo(x, top - 4 * px);
  c.lineTo(x, top + height);
  c.stroke();
  c.fillStyle = ink("ink");
  c.font = `${12.5 * px}px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif`;
  c.textAlign = "right";
  c.fillText(`budget ${amount(d.cost, ledger.total)}`, x, top - 9 * px);
  c.restore();
}

function drawMarks(u: uPlot, steps: CourseStep[]): void {
  const px = devicePixelRatio;
  const k = markInk();
  const r = (steps.length > crowd ? 2 : 3.6) * px;
  const { top, height } = u.bbox;
  const bottom = top + height - (lane / 2) * px;
  u.ctx.save();
  if (steps.length > crowd) drawCrowd(u, steps, r);
  for (const better of [false, true]) {
    for (const s of steps) {
      if (standsOut(s) !== better) continue;
      const mark = markOf(s);
      if ((mark === "done" || mark === "observed") && steps.length > crowd) continue;
      const x = u.valToPos(s.spent, "x", true);
      const y = s.trial.state === "done" ? Math.min(Math.max(u.valToPos(s.trial.value ?? 0, "y", true), top), top + height) : bottom;
      drawMark(u.ctx, mark, x, y, better ? r + px : r, k, px);
    }
  }
  u.ctx.restore();
}

// drawCrowd draws thousands of marks in one stroke.
function drawCrowd(u: uPlot, steps: CourseStep[], r: number): void {
  const { top, height } = u.bbox;
  const c = u.ctx;
  c.globalAlpha = 0.55;
  c.fillStyle = ink("q4");
  c.beginPath();
  for (const s of steps) {
    if (s.mark !== "done" && s.mark !== "observed") continue;
    const y = Math.min(Math.max(u.valToPos(s.trial.value ?? 0, "y", true), top), top + height);
    c.rect(u.valToPos(s.spent, "x", true) - r * 0.8, y - r * 0.8, 1.6 * r, 1.6 * r);
  }
  c.fill();
  c.globalAlpha = 1;
}
