import { describe, expect, it } from "vitest";
import type { Trial } from "../src/api/types";
import { matcher, paramColumn, sorted } from "../src/lib/sort";
import { rowWindow } from "../src/lib/window";
import { folded } from "../src/state/trials";

const trial = (number: number, setting: Trial["setting"], more: Partial<Trial> = {}): Trial => ({ number, state: "done", setting, point: [], value: 0, asked: "", ...more });

describe("rowWindow", () => {
  it("draws a screenful out of ten thousand", () => {
    const w = rowWindow(150_000, 600, 30, 10_000, 5);
    expect(w).toEqual({ from: 4995, to: 5025, above: 4995 * 30, below: (10_000 - 5025) * 30 });
  });
  it("keeps the height whatever is drawn", () => {
    for (const scroll of [-50, 0, 29, 30, 1e9]) {
      const w = rowWindow(scroll, 600, 30, 1000);
      expect(w.above + w.below + 30 * (w.to - w.from)).toBe(30_000);
      expect(w.to - w.from).toBeGreaterThanOrEqual(20);
    }
  });
  it("draws all of few, and none of none", () => {
    expect(rowWindow(500, 600, 30, 3)).toEqual({ from: 0, to: 3, above: 0, below: 0 });
    expect(rowWindow(0, 600, 30, 0)).toEqual({ from: 0, to: 0, above: 0, below: 0 });
  });
});

describe("sorting", () => {
  const column = paramColumn({ name: "x", type: "float" });
  const list = [trial(1, { x: 2 }), trial(2, {}), trial(3, { x: 10 }), trial(4, { x: 2 })];
  it("puts what is missing last, both ways", () => {
    expect(sorted(list, column, false).map((t) => t.number)).toEqual([1, 4, 3, 2]);
    expect(sorted(list, column, true).map((t) => t.number)).toEqual([3, 1, 4, 2]);
  });
});

describe("filtering", () => {
  const t = trial(12, { optimizer: "adam", layers: 3 }, { note: "Out of memory", runner: "gpu-1" });
  it.each([
    ["", true], ["adam", true], ["ADAM memory", true], ["layers=3", true], ["#12", true], ["#1", false], ["sgd", false], ["adam sgd", false], ["gpu-1", true],
  ])("%s: %s", (query, want) => expect(matcher(query)(t)).toBe(want));
});

describe("changes", () => {
  it("are put in their places", () => {
    const before = [trial(1, {}), trial(2, {}, { state: "running" })];
    const after = folded(before, [trial(2, {}), trial(3, {}, { state: "running" })]);
    expect(after.map((t) => `${t.number} ${t.state}`)).toEqual(["1 done", "2 done", "3 running"]);
    expect(before[1]?.state).toBe("running");
    expect(folded(before, [])).toBe(before);
  });
  it("may come in any order", () => expect(folded([trial(1, {})], [trial(3, {}), trial(2, {})]).map((t) => t.number)).toEqual([1, 2, 3]));
});
