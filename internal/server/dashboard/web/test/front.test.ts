import { describe, expect, it } from "vitest";
import type { Aim, Trial } from "../src/api/types";
import { onFront, outcomes, pairs, reachOf, worstWords } from "../src/lib/front";
import { expectedWords, restWords } from "../src/lib/words";

const aims: Aim[] = [
  { name: "accuracy", goal: "maximize" },
  { name: "latency", goal: "minimize" },
];
const trial = (number: number, accuracy: number, latency?: number): Trial => ({
  number, state: "done", setting: {}, point: [], value: accuracy, charged: 1, asked: "2026-01-01T00:00:00Z", ...(latency !== undefined && { metrics: { latency } }),
});

describe("several objectives", () => {
  const trials = [trial(1, 0.9, 50), trial(2, 0.8, 10), trial(3, 0.7, 20), trial(4, 0.99), trial(5, 0.8, 10), trial(6, 0.95, 300)];
  const limited = (latency: number): Aim[] => aims.map((o) => (o.name === "latency" ? { ...o, worst: latency } : o));
  const found = { hypervolume: 3, trials: [trial(6, 0.95, 300), trial(1, 0.9, 50)], worst: [0.5, 400] };
  it("have the front that the server found", () => {
    expect(outcomes(aims, trials, found).map((o) => [o.trial.number, o.front])).toEqual([[1, true], [2, false], [3, false], [5, false], [6, true]]); // 4 lacks one
    expect(onFront(aims, found).map((o) => o.values)).toEqual([[0.95, 300], [0.9, 50]]);
    expect(outcomes(aims, trials, undefined).some((o) => o.front)).toBe(false);
  });
  it("are where they are expected, with noise", () => {
    const noisy = { ...found, expected: [[0.91, 280], [0.9, 55]], seen: [[[0.95, 300], [0.9, 270]], [[0.9, 50]]] };
    expect(outcomes(aims, trials, noisy).filter((o) => o.front).map((o) => [o.trial.number, o.values])).toEqual([[1, [0.9, 55]], [6, [0.91, 280]]]);
    expect(onFront(aims, noisy)[0]?.seen).toEqual([[0.95, 300], [0.9, 270]]);
  });
  it("are on the front by the models, though seen beyond a limit", () => {
    const beyond = [trial(1, 0.9, 50), trial(2, 0.99, 10), trial(6, 0.95, 300)].map((t) => ({ ...t, violates: ["memory"] }));
    expect(outcomes(aims, beyond, found).map((o) => [o.trial.number, o.front])).toEqual([[1, true], [6, true]]);
  });
  it("have known results on the front", () => {
    const known = { ...found, trials: [{ ...trial(1, 0.99, 20), known: true }] };
    expect(outcomes(aims, trials, known).filter((o) => o.front).map((o) => o.values)).toEqual([[0.99, 20]]);
  });
  it("say which worst was found", () => {
    const found = { hypervolume: 3, trials: [], worst: [0.5, 200], from: 6 };
    expect(worstWords(aims, found)).toBe("accuracy 0.5, latency 200, found from the first 6 results");
    expect(worstWords(limited(200), found)).toBe("accuracy 0.5 (found from the first 6 results), latency 200");
    expect(worstWords(limited(200).map((o) => ({ ...o, worst: o.worst ?? 0.5 })), found)).toBe("accuracy 0.5, latency 200");
  });
  it("are drawn in pairs", () => {
    expect(pairs(2)).toEqual([[0, 1]]);
    expect(pairs(3)).toEqual([[0, 1], [0, 2], [1, 2]]);
  });
  it("know where the rest of the money may move the front", () => {
    const points = [{ at: 200, worse: 0.9, better: 0.95 }];
    const rest = { best: 1, left: 5, money: 5, worse: 1, median: 1, better: 2, gain: 0.1, fan: [], reach: [{ up: "accuracy", right: "latency", points }] };
    expect(reachOf(rest, "accuracy", "latency")).toEqual(points);
    expect(reachOf(rest, "latency", "accuracy")).toEqual([]);
    expect(reachOf(null, "accuracy", "latency")).toEqual([]);
  });
  it("are told in the tool's words", () => {
    const cost = { source: "reported" as const, unit: "euros" };
    const e = { value: 0.9, value_sd: 0.01, value_low: 0.887, value_high: 0.913, cost: 1, cost_sd: 0.1, cost_low: 0.9, cost_median: 1, cost_high: 1, fits: 1, beats: 0.4, also: { latency: { value: 12, sd: 3, low: 8, high: 16 } } };
    expect(expectedWords("accuracy", cost, e)).toContain("expected accuracy 0.9 ± 0.01, latency 12 ± 3, 40% likely to extend the front, for about 1 euro");
    expect(restWords("accuracy", cost, { best: 10, worse: 10, median: 11, better: 12, gain: 1, left: 5, of: "hypervolume" })).toContain("improve the hypervolume of the front from 10 to about 11");
  });
});
