import { expect, it } from "vitest";
import { blend, locate } from "../src/charts/raster";

it("puts values where their axis has them", () => {
  const at = locate([0, 10, 100], 0, 100, 100, false);
  expect(at[0]).toEqual({ k: 0, next: 1, part: 0.05 });
  expect(at[9]?.part).toBeCloseTo(0.95);
  expect(at[55]).toMatchObject({ k: 1, next: 2 });
  expect(at[55]?.part).toBeCloseTo(45.5 / 90);
});

it("goes down as well as up", () => {
  const at = locate([100, 0], 0, 100, 2, false); // the first value at the bottom
  expect(at.map((b) => b.part)).toEqual([0.75, 0.25]);
});

it("does not blend names", () => expect(locate([25, 75], 0, 100, 4, true).map((b) => b.k)).toEqual([0, 0, 1, 1]));

it("blends between rows and columns", () => {
  const half = { k: 0, next: 1, part: 0.5 };
  expect(blend([[0, 2], [4, 6]], half, half)).toBe(3);
});
