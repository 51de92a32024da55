import { afterEach, describe, expect, it, vi } from "vitest";
import { back, clockStep, dateTicks, newScale, niceStep, paramScale, place, ticks, wide } from "../src/lib/scale";

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

describe("dates", () => {
  afterEach(() => vi.unstubAllEnvs());
  // ticked are the clocks' times at the ticks between two moments.
  const ticked = (zone: string, from: string, to: string, n: number) => {
    vi.stubEnv("TZ", zone);
    const s = newScale([Date.parse(from), Date.parse(to)], false, 0, 0, 900);
    return dateTicks(s, n).map((t) => ((d) => `${d.getDate()} ${d.getHours()}:${d.getMinutes()}`)(new Date(Math.round(back(s, t.at)))));
  };
  it("has each day once where clocks are changed", () => {
    expect(ticked("Europe/Berlin", "2026-03-27T00:00+01:00", "2026-04-03T00:00+02:00", 8)).toEqual(["27 0:0", "28 0:0", "29 0:0", "30 0:0", "31 0:0", "1 0:0", "2 0:0", "3 0:0"]);
    expect(ticked("Europe/Berlin", "2026-10-22T00:00+02:00", "2026-10-28T00:00+01:00", 9)).toEqual(["22 0:0", "23 0:0", "24 0:0", "25 0:0", "26 0:0", "27 0:0", "28 0:0"]);
    expect(ticked("America/Santiago", "2026-09-04T00:00-04:00", "2026-09-08T00:00-03:00", 4)).toEqual(["4 0:0", "5 0:0", "6 1:0", "7 0:0", "8 0:0"]); // the 6th has no midnight
    expect(ticked("America/Havana", "2026-10-30T00:00-04:00", "2026-11-03T00:00-05:00", 5)).toEqual(["30 0:0", "31 0:0", "1 0:0", "2 0:0", "3 0:0"]); // the 1st has two
  });
  it("has midnights throughout a year", () => expect(ticked("Europe/Berlin", "2026-01-01T00:00+01:00", "2026-12-31T00:00+01:00", 9).map((t) => t.slice(-4))).toEqual(Array(7).fill(" 0:0")));
  it("has round times on the day when clocks are changed", () => {
    expect(ticked("Europe/Berlin", "2026-03-29T00:00+01:00", "2026-03-29T06:00+02:00", 6)).toEqual(["29 0:0", "29 1:0", "29 3:0", "29 4:0", "29 5:0", "29 6:0"]);
    expect(ticked("Europe/Berlin", "2026-10-25T01:00+02:00", "2026-10-25T04:00+01:00", 8)).toEqual(["25 1:0", "25 1:30", "25 2:0", "25 2:30", "25 2:0", "25 2:30", "25 3:0", "25 3:30", "25 4:0"]);
    expect(ticked("Europe/Berlin", "2026-03-28T12:00+01:00", "2026-03-30T12:00+02:00", 4)).toEqual(["28 12:0", "29 0:0", "29 12:0", "30 0:0", "30 12:0"]);
  });
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
