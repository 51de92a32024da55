import { expect, it } from "vitest";
import type { Slice, Trial } from "../src/api/types";
import { sliceRange } from "../src/charts/SliceChart";

it("makes room for what was measured and for the middles, and cuts wild bands", () => {
  const expected = { value: 1500, value_low: -60000, value_high: 60000, cost_low: 0.01, cost_median: 3, cost_high: 500 };
  const slices = [{ parameter: "x", values: [0], points: [expected] }] as unknown as Slice[];
  const trials = [
    { state: "done", value: 900, charged: 1 },
    { state: "done", value: 2400, charged: 2 },
    { state: "done", value: 9000, charged: 0.1, look: true },
  ] as Trial[];
  expect(sliceRange("value", slices, trials, "minimize")).toEqual([900, 2400, 1500]);
  expect(sliceRange("cost", slices, trials, "minimize")).toEqual([1, 2, 3]);
});
