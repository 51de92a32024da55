// Zooming and panning: which part of an axis is shown, in the numbers of its scale (logarithms, on a logarithmic axis).
import type { Scale } from "../lib/scale";

export type Stretch = readonly [lo: number, hi: number];

export interface Zoom {
  x: Stretch | null; // null: all of it
  y: Stretch | null;
}

export const whole: Zoom = { x: null, y: null };

const closest = 1e-9; // of the whole: beyond it, numbers of doubles run out

export const shown = (all: Scale, z: Stretch | null): Scale => (z === null ? all : { ...all, lo: z[0], hi: z[1] });

// within keeps a stretch from being wider than the whole, finer than numbers allow, or far outside.
function within(all: Scale, lo: number, hi: number): Stretch | null {
  const full = all.hi - all.lo;
  if (hi - lo >= full * (1 - 1e-9)) return null;
  const span = Math.max(hi - lo, full * closest);
  const from = Math.min(Math.max(lo, all.lo - span / 2), all.hi - span / 2);
  return [from, from + span];
}

// nearer changes the width of what is shown by a factor, around a part of it.
export function nearer(all: Scale, z: Stretch | null, part: number, factor: number): Stretch | null {
  const { lo, hi } = shown(all, z);
  const at = lo + part * (hi - lo);
  return within(all, at - (at - lo) * factor, at + (hi - at) * factor);
}

// moved goes along by a part of what is shown. All of it cannot be moved.
export function moved(all: Scale, z: Stretch | null, by: number): Stretch | null {
  if (z === null) return null;
  const step = by * (z[1] - z[0]);
  return within(all, z[0] + step, z[1] + step);
}

// between shows the stretch between two parts.
export function between(all: Scale, z: Stretch | null, from: number, to: number): Stretch | null {
  const { lo, hi } = shown(all, z);
  const at = (part: number) => lo + Math.min(Math.max(part, 0), 1) * (hi - lo);
  return within(all, at(Math.min(from, to)), at(Math.max(from, to)));
}
