import { expect, it } from "vitest";
import type { Param, Summary } from "../src/api/types";
import { handsOut, isOver, standing, stateWord } from "../src/lib/state";
import { settingOf, textsOf } from "../src/parts/SettingFields";

const study = (of: Partial<Summary>): Summary => ({ counts: {}, queued: 0, finished: null, ...of }) as Summary;
const word = (of: Partial<Summary>) => standing(study(of)).word;

it("says how a study stands", () => {
  const finished = { code: "budget_spent", reason: "its budget is spent" } as Summary["finished"];
  expect(word({})).toBe("not begun");
  expect(word({ counts: { done: 2 } })).toBe("idle");
  expect(word({ counts: { done: 2 }, finished })).toBe("finished");
  expect(word({ counts: { failed: 2 } })).toBe("all failed");
  expect(word({ counts: { failed: 2 }, finished })).toBe("finished");
  expect(word({ counts: { done: 2 }, finished, closed: true })).toBe("ended");
  expect(word({ counts: { done: 2 }, paused: true })).toBe("paused");
});

it("knows when nothing more happens", () => {
  const finished = { code: "budget_spent", reason: "its budget is spent" } as Summary["finished"];
  for (const [of, hands, over] of [
    [{ counts: { done: 2 } }, true, false],
    [{ counts: { done: 2 }, paused: true }, true, false],
    [{ counts: { done: 2 }, finished }, false, true],
    [{ counts: { done: 2 }, closed: true }, false, true],
    [{ counts: { done: 2, running: 1 }, closed: true }, false, false],
    [{ counts: { done: 2, pending: 1 }, finished }, false, false],
  ] as [Partial<Summary>, boolean, boolean][]) {
    expect([handsOut(study(of)), isOver(study(of))]).toEqual([hands, over]);
  }
});

it("does not take what is queued for running", () => {
  expect(word({ counts: { running: 3 } })).toBe("3 running");
  expect(word({ counts: { running: 3 }, queued: 1 })).toBe("2 running, 1 queued");
  expect(standing(study({ counts: { running: 2 }, queued: 2 }))).toEqual({ word: "2 queued", kind: "idle" });
  expect([stateWord({ state: "running", queued: "Priority" }), stateWord({ state: "running" })]).toEqual(["queued", "running"]);
});

it("reads a setting as it was typed, and writes it so", () => {
  const params: Param[] = [
    { name: "lr", type: "float", min: 0, max: 1 },
    { name: "opt", type: "choice", values: ["sgd", "1"] },
    { name: "batch", type: "ordered", values: [16, 32] },
    { name: "fast", type: "bool" },
    { name: "gone", type: "int", when: [] },
    { name: "seed", type: "fixed", value: 3 },
  ];
  const setting = { lr: 1e-3, opt: "1", batch: 32, fast: false };
  expect(settingOf(params, { lr: " 1e-3 ", opt: "1", batch: "32", fast: "false", gone: "", seed: "9" })).toEqual(setting);
  expect(settingOf(params, textsOf(params, { ...setting, seed: 3 }))).toEqual(setting);
  expect(settingOf(params, { lr: "much" })).toEqual({ lr: "much" }); // the server says what is wrong with it
});
