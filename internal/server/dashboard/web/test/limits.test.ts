import { describe, expect, it } from "vitest";
import type { Definition, Trial } from "../src/api/types";
import { course, notCounted } from "../src/lib/course";
import { counts } from "../src/lib/format";
import { metricNames, reported } from "../src/lib/metrics";
import { trouble } from "../src/lib/words";

const trial = (number: number, value: number, more: Partial<Trial>): Trial => ({ number, state: "done", setting: {}, point: [], value, charged: 1, asked: "2026-01-01T00:00:00Z", finished: `2026-01-01T00:00:0${number}Z`, ...more });

describe("limits", () => {
  const beyond = trial(1, 1, { metrics: { memory: 9.5 }, violates: ["memory"] });
  const within = trial(2, 2, { metrics: { memory: 4 } });
  it("leave out what does not meet them", () => {
    expect([counts(beyond), counts(within)]).toEqual([false, true]);
    expect(course("minimize", [beyond, within]).map((s) => s.mark)).toEqual(["beyond", "best"]);
  });
  it("are told in the tool's words", () => {
    expect(notCounted(beyond)).toBe("memory 9.5 is beyond its limit: does not count");
    expect(notCounted(trial(3, 1, { violates: ["memory"] }))).toBe("no memory was reported: does not count");
    expect(notCounted(within)).toBe("");
  });
});

it("draws the other numbers that differ, those with limits first", () => {
  const d = { limits: { memory: { max: 8 } }, objectives: undefined } as unknown as Definition;
  const list = [trial(1, 1, { metrics: { memory: 9, epochs: 3, loss: 1 } }), trial(2, 2, { metrics: { memory: 4, epochs: 5, loss: 1 } }), trial(3, 2, {})];
  const failed = trial(4, 0, { state: "failed", value: null, metrics: { age: 1 } });
  expect(metricNames(d, [...list, failed])).toEqual(["memory", "epochs"]);
  expect(metricNames({ ...d, objectives: [{ name: "epochs", goal: "minimize" }] } as unknown as Definition, list)).toEqual(["memory"]);
  expect(reported("memory", [...list, failed]).map((r) => [r.trial.number, r.x, r.value])).toEqual([[1, 9, 1], [2, 4, 2]]);
});

it("shows what a trial said last, not how it ended", () => {
  expect(trouble("exit code 1\nstderr ends:\n    Traceback\n    CUDA out of memory\nit reported no cost")).toBe("CUDA out of memory (exit code 1)");
  expect(trouble("exit code 1")).toBe("exit code 1");
});
