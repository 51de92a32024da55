import { describe, expect, it } from "vitest";
import { costAxis, piled } from "../src/lib/pile";

// quick is what n quick trials cost: 80 ms, and up to a tenth more.
const quick = (n: number): number[] => Array.from({ length: n }, (_, k) => 0.08 * (1 + ((k * 37) % 100) / 1000 + k * 1e-7));

const sums = (costs: number[]): number[] => costs.map(((sum) => (c: number) => (sum += c))(0));

describe("trials are piled up", () => {
  it("if a slow one takes most of the money", () => {
    const steady = sums(quick(289));
    expect(piled(steady, 0, steady[288] ?? 0)).toBe(false);
    const stuck = sums([...quick(144), 400, ...quick(144)]);
    expect(piled(stuck, 0, stuck[288] ?? 0)).toBe(true);
  });
  it("but not if they are few, or cost the same", () => {
    expect(piled([1, 1.01, 50], 1, 50)).toBe(false);
    expect(piled(Array.from({ length: 300 }, (_, k) => (k % 3) + 1), 1, 3)).toBe(false);
    expect(piled(quick(50).map(() => 2), 2, 2)).toBe(false);
  });
});

describe("the axis of costs", () => {
  it("is linear over all, as a rule", () => {
    const costs = Array.from({ length: 289 }, (_, k) => 1 + k / 100);
    expect(costAxis(costs)).toEqual({ least: 1, most: costs[288], log: false, beyond: 0 });
    expect(costAxis([])).toEqual({ least: 0, most: 0, log: false, beyond: 0 });
  });
  it("leaves a few slow starts at the edge", () => {
    const a = costAxis([4, 5, ...quick(287)]);
    expect([a.log, a.beyond, a.most < 0.09]).toEqual([false, 2, true]);
  });
  it("is logarithmic if costs go over orders of magnitude", () => {
    const costs = Array.from({ length: 289 }, (_, k) => 1e-3 * 10 ** (12 * (k / 288) ** 6));
    expect(costAxis(costs)).toEqual({ least: costs[0], most: costs[288], log: true, beyond: 0 });
  });
});
