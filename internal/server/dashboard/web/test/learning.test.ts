import { describe, expect, it } from "vitest";
import type { Definition, Trial } from "../src/api/types";
import { curves, logarithmic } from "../src/lib/learning";

const study = (fidelity: Definition["fidelity"]): Definition => ({ fidelity }) as Definition;
const epochs = study({ name: "epochs", steps: [1, 3, 9] });
const trial = (number: number, state: Trial["state"], steps: [number, number][], value: number | null = null): Trial => ({ number, state, value, setting: { epochs: 9 }, point: [], asked: "", steps: steps.map(([step, v]) => ({ step, value: v })) });

describe("learning curves", () => {
  const list = curves(epochs, [trial(1, "done", [[1, 5], [3, 4]], 2), trial(2, "stopped early", [[1, 7]]), trial(3, "done", [], 1), trial(4, "running", [[1, 6]])], 1);
  it("leave out trials without steps, and end with the best", () => expect(list.map((c) => [c.trial.number, c.kind])).toEqual([[2, "early"], [4, ""], [1, "top"]]));
  it("of trials that do not count are quieter, and under the others", () => {
    const looks = [trial(1, "done", [[1, 5]], 2), { ...trial(2, "done", [[1, 4]], 3), look: true }, { ...trial(3, "done", [[1, 4]], 3), forgotten: true }, trial(4, "done", [[1, 3]], 1)];
    expect(curves(epochs, looks as Trial[], 4).map((c) => [c.trial.number, c.kind])).toEqual([[2, "look"], [3, "look"], [1, ""], [4, "top"]]);
  });
  it("end with the result, if there is one", () => expect(list.map((c) => c.steps.map((s) => s.step))).toEqual([[1], [1], [1, 3, 9]]));
  it("are none without a fidelity", () => expect(curves(study(undefined), [trial(1, "done", [[1, 5]], 2)], 1)).toEqual([]));
  it("of many trials are some, the best among them", () => {
    const many = Array.from({ length: 20000 }, (_, k) => trial(k + 1, "done", [[1, k]], k));
    const some = curves(epochs, many, 77);
    expect([some.length, some[some.length - 1]?.trial.number]).toEqual([600, 77]);
  });
});

describe("a fidelity", () => {
  it("is logarithmic if it is said to be, or goes far", () =>
    expect([epochs, study({ name: "e", min: 1, max: 81 }), study({ name: "e", min: 1, max: 5, log: true }), study(undefined)].map(logarithmic)).toEqual([false, true, true, false]));
});
