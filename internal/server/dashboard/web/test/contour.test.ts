import { describe, expect, it } from "vitest";
import { contour, type Grid, labelAt, type Point } from "../src/lib/contour";

const steps = (lo: number, hi: number, n: number) => Array.from({ length: n }, (_, k) => lo + ((hi - lo) * k) / (n - 1));
const grid = (n: number, f: (x: number, y: number) => number | null): Grid => {
  const [xs, ys] = [steps(-1, 1, n), steps(-1, 1, n + 3)];
  return { xs, ys, value: (r, c) => f(xs[c] as number, ys[r] as number) };
};
const closed = (l: Point[]) => l[0]?.join() === l[l.length - 1]?.join();

describe("contours", () => {
  it("are exact for a plane, whole, and end at the edges", () => {
    const lines = contour(grid(9, (x, y) => 2 * x - y), 0.3);
    expect(lines.length).toBe(1);
    for (const [x, y] of lines[0] ?? []) expect(2 * x - y).toBeCloseTo(0.3, 12);
    const ends = [lines[0]?.[0], lines[0]?.at(-1)] as Point[];
    for (const [x, y] of ends) expect(Math.max(Math.abs(x), Math.abs(y))).toBeCloseTo(1, 12);
  });
  it("close around a hill", () => {
    const [ring, ...more] = contour(grid(41, (x, y) => x * x + y * y), 0.5);
    expect(more).toEqual([]);
    expect(closed(ring ?? [])).toBe(true);
    for (const [x, y] of ring ?? []) expect(Math.hypot(x, y)).toBeCloseTo(Math.SQRT1_2, 2);
  });
  it("are two at a saddle", () => {
    for (const level of [-0.1, 0.1]) {
      const lines = contour(grid(8, (x, y) => x * y), level);
      expect(lines.length).toBe(2);
      for (const l of lines) expect(new Set(l.map(([x, y]) => [Math.sign(x), Math.sign(y)].join())).size).toBe(1);
    }
  });
  it("pass through every side that they cross, once", () => {
    const f = (x: number, y: number) => Math.sin(5 * x + 3) * Math.cos(4 * y) + 0.3 * x;
    const g = grid(23, f);
    let sides = 0; // the slow way
    for (let r = 0; r < g.ys.length; r++) {
      for (let c = 0; c < g.xs.length; c++) {
        const high = (row: number, column: number) => (g.value(row, column) as number) >= 0.2;
        if (c + 1 < g.xs.length && high(r, c) !== high(r, c + 1)) sides++;
        if (r + 1 < g.ys.length && high(r, c) !== high(r + 1, c)) sides++;
      }
    }
    const lines = contour(g, 0.2);
    expect(lines.length).toBeGreaterThan(3);
    expect(lines.reduce((sum, l) => sum + l.length - (closed(l) ? 1 : 0), 0)).toBe(sides);
  });
  it("stop where there is nothing", () => {
    const lines = contour(grid(9, (x, y) => (Math.abs(x) < 0.3 ? null : y)), 0.1);
    expect(lines.length).toBe(2);
    for (const l of lines) for (const [x] of l) expect(Math.abs(x)).toBeGreaterThan(0.3);
    expect(contour(grid(5, (x) => x), 7)).toEqual([]);
  });
});

describe("their labels", () => {
  const bent: Point[] = [[0, 0], [30, 30], [0, 60], [100, 60], [200, 60]];
  it("stand where the line is straight, upright", () => {
    expect(labelAt(bent, 60, [])).toEqual({ x: 50, y: 60, turn: 0 });
    expect(labelAt(bent.toReversed(), 60, [])?.turn).toBe(0);
  });
  it("keep away from each other, and from lines that are too short", () => {
    expect(labelAt(bent, 60, [{ x: 50, y: 60, turn: 0 }])).toEqual({ x: 150, y: 60, turn: 0 });
    expect(labelAt(bent.slice(0, 2), 60, [])).toBe(null);
  });
});
