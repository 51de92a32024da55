import { describe, expect, it } from "vitest";
import { stair } from "../src/charts/Frame";
import { course, sameSetting } from "../src/lib/course";
import { trialsOf } from "../src/lib/brief";
import type { Columns, Trial } from "../src/api/types";

const columns: Columns = {
  version: 9, first: 3, states: ["done", "failed"], state: [0, 1, 0], runners: ["lease-w"], runner: [0, 0, 0], values: [0.5, null, 0.25], charged: [1, 2, 3], wall: [0, 1, 2],
  since: "2026-01-01T00:00:00.5Z", asked: [0, 10, 20], finished: [5, 15, 25], settings: { lr: [0.1, 0.2, 0.1], beta: [null as never, 0.5, null as never] },
  more: [{ number: 4, state: "failed", setting: { lr: 0.2, beta: 0.5 }, point: [], value: null, asked: "2026-01-01T00:00:00.51Z", note: "broke" }],
};

describe("columns", () => {
  const trials = trialsOf(columns);
  it("are trials again, those with more whole", () => {
    expect(trials.map((t) => [t.number, t.state, t.value, t.charged])).toEqual([[3, "done", 0.5, 1], [4, "failed", null, undefined], [5, "done", 0.25, 3]]);
    expect(trials[0]).toMatchObject({ setting: { lr: 0.1 }, asked: "2026-01-01T00:00:00.500Z", finished: "2026-01-01T00:00:00.505Z", runner: "lease-w" });
    expect(Object.keys(trials[0]?.setting ?? {})).toEqual(["lr"]);
    expect(trials[1]?.note).toBe("broke");
  });
  it("make a course", () => expect(course("minimize", trials).map((s) => s.best)).toEqual([null, 0.5, 0.25]));
  it("tell settings apart", () => {
    const [a, b, c] = trials as [Trial, Trial, Trial];
    expect([sameSetting(a, c), sameSetting(a, b), sameSetting(b, a)]).toEqual([true, false, false]);
  });
});

describe("stairs", () => {
  it("have a step for each change", () => expect(stair([[0, 9], [10, 5], [20, 5], [30, 1]], 40)).toBe("M0 9H10V5H30V1H40"));
  it("take steps at once that are too small to be seen, and end where they ended", () => {
    expect(stair([[0, 9], [0.1, 8], [0.2, 7], [10, 7], [10.1, 6], [20, 2]], 30)).toBe("M0 9H0V7H10V6H20V2H30");
    expect(stair([[0, 9], [0.1, 8]], 5)).toBe("M0 9H0V8H5");
    expect(stair([], 5)).toBe("");
  });
  it("of many trials have no more steps than pixels", () => {
    const many = Array.from({ length: 20000 }, (_, k): [number, number] => [k / 20, 1000 - k / 20]);
    expect(stair(many, 1000).split("H").length).toBeLessThan(2600);
  });
});
