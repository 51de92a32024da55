// Whether trials lie on top of each other along an axis, and which axis spreads them. Hundreds of quick trials and a slow one would
// be two columns otherwise.

const cells = 60; // into which an axis is divided
const many = 20; // trials; fewer can be told apart
const few = 0.2; // the fraction of the cells with trials below which the trials are piled up

// spread is the fraction of an axis that has trials on it, given their places from 0 to 1. Trials that share their places count once.
function spread(places: number[]): number {
  const taken = new Set(places.map((p) => Math.min(Math.floor(p * cells), cells - 1)));
  return taken.size / Math.max(Math.min(cells, new Set(places).size), 1);
}

const placesIn = (values: number[], lo: number, hi: number): number[] => (hi > lo ? values.map((v) => (v - lo) / (hi - lo)) : []);

// piled says whether trials would be piled up along an axis from lo to hi.
export const piled = (values: number[], lo: number, hi: number): boolean => values.length >= many && hi > lo && spread(placesIn(values, lo, hi)) < few;

export interface CostAxis {
  least: number;
  most: number; // dearer trials are drawn at the edge
  log: boolean;
  beyond: number; // how many those are
}

const cheap = [0.99, 0.95, 0.9]; // the fractions of the trials that an axis without the dearest may show

// costAxis is the axis of what trials cost: linear over all of them, unless that would pile them up. Then it is logarithmic, or leaves
// the dearest at the edge, as few as will do.
export function costAxis(costs: number[]): CostAxis {
  const sorted = Float64Array.from(costs).sort();
  const [least, most] = [sorted[0] ?? 0, sorted[sorted.length - 1] ?? 0];
  const all: CostAxis = { least, most, log: false, beyond: 0 };
  if (!piled(costs, least, most)) return all;
  const choices: { axis: CostAxis; spread: number }[] = [{ axis: all, spread: spread(placesIn(costs, least, most)) }];
  if (least > 0) choices.push({ axis: { ...all, log: true }, spread: spread(placesIn(costs.map(Math.log), Math.log(least), Math.log(most))) });
  for (const part of cheap) {
    const end = sorted[Math.ceil(sorted.length * part) - 1] ?? most;
    choices.push({ axis: { least, most: end, log: false, beyond: sorted.filter((c) => c > end).length }, spread: spread(placesIn(costs.filter((c) => c <= end), least, end)) });
  }
  return (choices.find((c) => c.spread >= few) ?? choices.reduce((a, b) => (b.spread > a.spread ? b : a))).axis;
}
