import { describe, expect, it } from "vitest";
import { back, clockStep, newScale, niceStep, paramScale, place, ticks, wide } from "../src/lib/scale";

const labels = (lo: number, hi: number, n: number, log = false) => ticks(newScale([lo, hi], log, 0), n).map((t) => t.label);

describe("scales", () => {
  it("places and finds back", () => {
    for (const log of [false, true]) {
      const s = newScale([1, 1000], log, 0, 50, 250);
      for (const v of [1, 3, 10, 999]) expect(back(s, place(s, v))).toBeCloseTo(v, 9);
    }
  });
  it("keeps what is outside at the edge", () => {
    const s = newScale([0, 1], false, 0, 0, 100);
    expect([place(s, -5), place(s, 7), place(s, NaN)]).toEqual([0, 100, 0]);
  });
  it("has room around a single value", () => {
    const s = newScale([5, 5], false, 0.1);
    expect(place(s, 5)).toBeCloseTo(0.5);
  });
  it("has none for nothing", () => expect(place(newScale([], false, 0), 0.5)).toBe(0.5));
  it("survives the largest numbers", () => expect(ticks(newScale([-1e308, 1e308], false, 0), 5).every((t) => Number.isFinite(t.at))).toBe(true));
});

describe("ticks", () => {
  it("are round", () => expect(labels(0, 10, 5)).toEqual(["0", "2", "4", "6", "8", "10"]));
  it("have the decimals of their step", () => expect(labels(0, 1, 4)).toEqual(["0", "0.25", "0.50", "0.75", "1.00"]));
  it("are powers on logarithmic axes", () => expect(labels(1e-5, 0.1, 5, true)).toEqual(["1e-5", "0.0001", "0.001", "0.01", "0.1"]));
  it("are short for the tiny and the huge", () => {
    expect(labels(0, 1e-12, 2)).toEqual(["0", "5e-13", "1e-12"]);
    expect(labels(0, 1e12, 2)).toEqual(["0", "5e11", "1e12"]);
  });
  it("are whole where steps must be", () => expect([niceStep(0.3, true), niceStep(2.2, true), niceStep(2.2, false)]).toEqual([1, 5, 2.5]));
  it("go as clocks do", () => expect([clockStep(0.3), clockStep(40), clockStep(2000), clockStep(200000)]).toEqual([0.5, 60, 3600, 5 * 86400]));
});

describe("parameters", () => {
  it("places choices one after the other", () => {
    const s = paramScale({ type: "choice", values: ["a", "b"] }, 0, 100);
    expect([s.place("a"), s.place("b"), s.place("c"), s.place(undefined)]).toEqual([25, 75, null, null]);
  });
  it("places numbers by their logarithm", () => {
    const s = paramScale({ type: "float", min: 1e-4, max: 1, log: true }, 0, 100);
    expect(s.place(0.01)).toBeCloseTo(50);
  });
  it("knows a wide range", () => expect([wide([1, 30]), wide([1, 10]), wide([0, 30]), wide([])]).toEqual([true, false, false, false]));
});
