import { expect, it } from "vitest";
import type { Trial, State } from "../src/api/types";
import { bestBefore, course, isBest, shownValues, standsOut } from "../src/lib/course";

const trial = (number: number, state: State, value: number, charged: number, minute: number, more: Partial<Trial> = {}): Trial => ({
  number, state, setting: {}, point: [], value, charged, asked: "2026-01-01T00:00:00Z", finished: `2026-01-01T00:${String(minute).padStart(2, "0")}:00Z`, ...more,
});

const trials = [
  trial(1, "done", 5, 2, 1), trial(2, "done", 3, 1, 4), trial(3, "failed", 0, 1, 2), trial(4, "done", 4, 1, 3), trial(5, "done", 1, 9, 5, { beyond: true }),
  { ...trial(6, "running", 0, 0, 6), reserved: 2, charged: undefined },
];

it("knows the best value that was there when a trial was asked for", () => {
  const asked = (minute: number) => trial(9, "running", 0, 0, 9, { asked: `2026-01-01T00:0${minute}:30Z` });
  expect([0, 1, 3, 4, 5].map((m) => bestBefore("minimize", trials, asked(m)))).toEqual([null, 5, 4, 3, 3]);
  expect(bestBefore("maximize", trials, asked(5))).toBe(5);
});

it("calls no trial the best if the best was known before", () => {
  const best: Trial = { ...trial(0, "done", 2, 0, 3), known: true };
  expect(course("minimize", trials, best).map((s) => [s.mark, s.best, s.better])).toEqual([
    ["better", 5, true], ["failed", 5, false], ["done", 2, false], ["done", 2, false], ["beyond", 2, false],
  ]);
  expect(Math.min(...shownValues(course("minimize", trials, best)))).toBe(2); // the line of the best is within the axis
  const failed = [trial(1, "failed", 0, 1, 5)];
  expect(shownValues(course("minimize", failed, best))).toEqual([2]);
  expect(shownValues(course("minimize", failed))).toEqual([]);
});

it("marks the trials of the best setting where evaluations have noise, and follows no luck", () => {
  const at = (number: number, value: number, x: number, more: Partial<Trial> = {}) => trial(number, "done", value, 1, number, { setting: { x }, ...more });
  const list = [at(1, 3, 0.5), at(2, -1, 0.1), trial(3, "failed", 0, 1, 3, { setting: { x: 0.5 } }), at(4, 4, 0.5), at(5, 0, 0.5, { beyond: true })];
  const best: Trial = { ...at(1, 3, 0.5), value: 3.4, estimate: { value: 3.4, sd: 0.1, low: 3.2, high: 3.6, values: [3, 4] } };
  const steps = course("minimize", list, best);
  expect(steps.map((s) => [s.mark, s.best, s.better, standsOut(s)])).toEqual([
    ["leading", null, false, true], ["observed", null, false, false], ["failed", null, false, false], ["leading", null, false, true], ["beyond", null, false, false],
  ]);
  expect(list.map((t) => isBest(t, best))).toEqual([true, false, false, true, false]);
  expect(list.map((t) => isBest(t, { ...best, estimate: undefined }))).toEqual([true, false, false, false, false]);
});
