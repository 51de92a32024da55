import { expect, it } from "vitest";
import type { Trial, State } from "../src/api/types";
import { bestBefore, course, markOf, parts, valueRange } from "../src/lib/course";

const trial = (number: number, state: State, value: number, charged: number, minute: number, more: Partial<Trial> = {}): Trial => ({
  number, state, setting: {}, point: [], value, charged, asked: "2026-01-01T00:00:00Z", finished: `2026-01-01T00:${String(minute).padStart(2, "0")}:00Z`, ...more,
});

const trials = [
  trial(1, "done", 5, 2, 1), trial(2, "done", 3, 1, 4), trial(3, "failed", 0, 1, 2), trial(4, "done", 4, 1, 3), trial(5, "done", 1, 9, 5, { beyond: true }),
  { ...trial(6, "running", 0, 0, 6), reserved: 2, charged: undefined },
];

it("follows the order in which trials ended", () => {
  const steps = course("minimize", trials);
  expect(steps.map((s) => [s.trial.number, s.spent, s.best, markOf(s)])).toEqual([
    [1, 2, 5, "better"], [3, 3, 5, "failed"], [4, 4, 4, "better"], [2, 5, 3, "better"], [5, 14, 3, "beyond"],
  ]);
  expect(course("maximize", trials).map((s) => s.best)).toEqual([5, 5, 5, 5, 5]);
});

it("splits the budget so that nothing is lost", () => {
  const list = parts({ total: 10, spent: 14, reserved: 2 }, trials);
  const of = Object.fromEntries(list.map((p) => [p.kind, p.money]));
  expect(of).toEqual({ spent: 4, lost: 6, reserved: 2, left: 0, overrun: 4 });
  expect(parts({ total: 10, spent: 4, reserved: 0 }, null).map((p) => [p.kind, p.money])).toEqual([["spent", 4], ["left", 6]]);
});

it("leaves a few very bad values out of the picture", () => {
  expect(valueRange([1, 2, 3, 4, 5, 6, 7, 8, 9, 1e6], "minimize")).toEqual([1, 9]);
  expect(valueRange([1, 2, 1e6], "minimize")).toEqual([1, 2, 1e6]);
});

it("knows the best value that was there when a trial was asked for", () => {
  const asked = (minute: number) => trial(9, "running", 0, 0, 9, { asked: `2026-01-01T00:0${minute}:30Z` });
  expect([0, 1, 3, 4, 5].map((m) => bestBefore("minimize", trials, asked(m)))).toEqual([null, 5, 4, 3, 3]);
  expect(bestBefore("maximize", trials, asked(5))).toBe(5);
});
