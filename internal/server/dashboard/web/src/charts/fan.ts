// The fan ahead of the best value so far: what the rest of the money is expected to buy.
import type uPlot from "uplot";
import type { Rest } from "../api/types";
import { ink } from "../lib/theme";

const room = 0.6; // of the range of the values, which early forecasts exceed by far

// withFan makes room for a forecast beside the values that are shown.
export function withFan(values: number[], rest: Rest | null): number[] {
  if (rest === null) return values;
  const [lo, hi] = [Math.min(...values), Math.max(...values)];
  const more = room * (hi - lo);
  return [...values, Math.min(Math.max(rest.better, lo - more), hi + more)];
}

// drawFan draws the band that holds the best value with eight chances in ten, and its middle.
export function drawFan(u: uPlot, spent: number, rest: Rest): void {
  const c = u.ctx;
  const px = devicePixelRatio;
  const { left, top, width, height } = u.bbox;
  const x = (money: number) => Math.min(u.valToPos(spent + money, "x", true), left + width);
  const y = (v: number) => Math.min(Math.max(u.valToPos(v, "y", true), top), top + height);
  c.save();
  c.beginPath();
  c.moveTo(x(0), y(rest.best));
  for (const o of rest.fan) c.lineTo(x(o.money), y(o.worse));
  for (const o of [...rest.fan].reverse()) c.lineTo(x(o.money), y(o.better));
  c.closePath();
  c.globalAlpha = 0.2;
  c.fillStyle = ink("value");
  c.fill();
  c.globalAlpha = 1;
  c.strokeStyle = ink("value");
  c.lineWidth = 1.6 * px;
  c.setLineDash([5 * px, 4 * px]);
  c.beginPath();
  c.moveTo(x(0), y(rest.best));
  for (const o of rest.fan) c.lineTo(x(o.money), y(o.median));
  c.stroke();
  c.restore();
}
