// Axes of uPlot that look like ours.
import type uPlot from "uplot";
import type { Cost } from "../api/types";
import { axisName, duration, isTime, tickLabel } from "../lib/format";
import { clockStep, newScale, niceStep } from "../lib/scale";
import { ink } from "../lib/theme";

export const font = "12px system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";

const values = (_: uPlot, splits: number[]): string[] => {
  const step = splits.length > 1 ? Math.abs((splits[1] ?? 0) - (splits[0] ?? 0)) : 1;
  const largest = Math.max(...splits.map(Math.abs), 1e-300);
  return splits.map((v) => tickLabel(v, step, largest));
};

// splits are at most so many round numbers as there is room for.
const splits = (room: number, time: boolean, whole = false) => (u: uPlot, axis: number, min: number, max: number): number[] => {
  const size = (axis === 0 ? u.bbox.width : u.bbox.height) / devicePixelRatio;
  const least = (max - min) / Math.max(2, Math.floor(size / room));
  const step = time ? clockStep(least) : niceStep(least, whole);
  if (step === 0) return [];
  const out: number[] = [];
  for (let k = Math.ceil(min / step - 1e-9); k * step <= max + step * 1e-9 && out.length < 60; k++) out.push(k * step);
  return out;
};

function common(label: string): uPlot.Axis {
  return {
    stroke: ink("soft"),
    grid: { stroke: ink("rule"), width: 1 },
    ticks: { stroke: ink("rule"), width: 1, size: 4 },
    border: { show: true, stroke: ink("axis"), width: 1 },
    font,
    labelFont: font,
    label,
    labelSize: 22,
    gap: 5,
  };
}

// An axis of money names its unit, or has the ticks of a clock.
const labelOf = (label: string, cost: Cost | undefined): string => (cost ? axisName(label, cost) : label);
const times = (_: uPlot, list: number[]): string[] => list.map(duration);

export function xAxis(label: string, cost?: Cost): uPlot.Axis {
  const time = cost !== undefined && isTime(cost);
  return { ...common(labelOf(label, cost)), size: 26, splits: splits(time ? 92 : 66, time), values: time ? times : values };
}

export function countAxis(label: string): uPlot.Axis {
  return { ...xAxis(label), splits: splits(66, false, true) };
}

export function yAxis(label: string, cost?: Cost): uPlot.Axis {
  const time = cost !== undefined && isTime(cost);
  return {
    ...common(labelOf(label, cost)),
    splits: splits(46, time),
    values: time ? times : values,
    size: (_, list) => 14 + 7 * Math.max(3, ...(list ?? []).map((s) => s.length)),
  };
}

// timeAxis has the ticks of uPlot itself, which knows the calendar.
export function timeAxis(label: string): uPlot.Axis {
  return { ...common(label), size: 38, space: 90 };
}

export function range(list: Iterable<number>, margin: number): [number, number] {
  const s = newScale(list, false, margin);
  return [s.lo, s.hi];
}
