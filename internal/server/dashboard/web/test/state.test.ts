import { type ComponentChildren, h, render } from "preact";
import { act } from "preact/test-utils";
import { beforeEach, expect, it, vi } from "vitest";
import { api } from "../src/api/client";
import type { Columns, Definition, Insight, Neighbour, Param, Slice, Study, Summary, Trial } from "../src/api/types";
import { CompareChart } from "../src/charts/CompareChart";
import { MoneyChart } from "../src/charts/MoneyChart";
import { type Brushes, Parallel } from "../src/charts/Parallel";
import { course } from "../src/lib/course";
import { handsOut, isOver, standing, stateWord } from "../src/lib/state";
import { NeighboursCard } from "../src/parts/NeighboursCard";
import { settingOf, textsOf } from "../src/parts/SettingFields";
import { SlicesCard } from "../src/parts/SlicesCard";
import { StudyEditor } from "../src/parts/StudyEditor";
import { type Held, useHeld } from "../src/state/useHeld";
import { useOutput } from "../src/state/useOutput";
import { type StudyState, useStudy } from "../src/state/useStudy";

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

// Element is as much of a browser's as Preact and the page use here.
class Element {
  childNodes: Element[] = [];
  parentNode: Element | null = null;
  attributes: Record<string, string> = {};
  heard: Record<string, (e: unknown) => void> = {};
  style = { setProperty: () => {} };
  value = "";
  clientWidth = 800;
  namespaceURI = "http://www.w3.org/1999/xhtml";
  constructor(readonly localName: string, public data = "") {}
  get nodeType() { return this.localName === "" ? 3 : 1; }
  get firstChild(): Element | null { return this.childNodes[0] ?? null; }
  get nextSibling(): Element | null { return this.parentNode?.childNodes[this.parentNode.childNodes.indexOf(this) + 1] ?? null; }
  get ownerSVGElement() { return this; }
  get ownerDocument() { return document; }
  get text(): string { return this.data + this.childNodes.map((c) => c.text).join(""); }
  insertBefore(c: Element, before: Element | null) {
    c.remove();
    c.parentNode = this;
    this.childNodes.splice(before ? this.childNodes.indexOf(before) : this.childNodes.length, 0, c);
  }
  appendChild(c: Element) { this.insertBefore(c, null); }
  removeChild(c: Element) { c.remove(); }
  remove() {
    if (this.parentNode) this.parentNode.childNodes = this.parentNode.childNodes.filter((c) => c !== this);
    this.parentNode = null;
  }
  setAttribute(name: string, value: unknown) { this.attributes[name] = String(value); }
  removeAttribute(name: string) { delete this.attributes[name]; }
  addEventListener(name: string, f: (e: unknown) => void) { this.heard[name] = f; }
  removeEventListener(name: string) { delete this.heard[name]; }
  setPointerCapture() {}
  closest() { return null; }
  getBoundingClientRect() { return { top: 0 }; }
  all(): Element[] { return this.childNodes.flatMap((c) => [c, ...c.all()]); }
  at(testid: string): Element {
    const found = this.all().find((e) => e.attributes["data-testid"] === testid);
    if (!found) throw new Error(`there is no ${testid}`);
    return found;
  }
  fire(name: string, more: object = {}) {
    const type = Object.keys(this.heard).find((t) => t.toLowerCase() === name);
    if (!type) throw new Error(`${this.localName} hears ${Object.keys(this.heard)}, not ${name}`);
    this.heard[type]?.call(this, { type, target: this, currentTarget: this, preventDefault: () => {}, ...more });
  }
}

// settled is when answers that are there have been drawn.
const settled = () => act(() => new Promise<void>((done) => setTimeout(done)));
const drawnIn = async (root: Element, node: ComponentChildren) => {
  await act(() => render(node, root as unknown as HTMLElement));
  await settled();
  return root;
};
const drawn = (node: ComponentChildren) => drawnIn(new Element("div"), node);

beforeEach(() => {
  const kept = new Map<string, string>();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  vi.stubGlobal("window", globalThis);
  vi.stubGlobal("Element", Element);
  vi.stubGlobal("ResizeObserver", class { observe() {} disconnect() {} });
  vi.stubGlobal("requestAnimationFrame", (f: () => void) => setTimeout(f, 0));
  vi.stubGlobal("cancelAnimationFrame", clearTimeout);
  vi.stubGlobal("addEventListener", () => {});
  vi.stubGlobal("removeEventListener", () => {});
  vi.stubGlobal("location", { pathname: "/", search: "", href: "http://x/" });
  vi.stubGlobal("localStorage", { getItem: (k: string) => kept.get(k) ?? null, setItem: (k: string, v: string) => kept.set(k, v), removeItem: (k: string) => kept.delete(k) });
  vi.stubGlobal("document", {
    createElement: (name: string) => new Element(name),
    createElementNS: (space: string, name: string) => Object.assign(new Element(name), { namespaceURI: space }),
    createTextNode: (text: string) => new Element("", text),
    addEventListener: () => {},
    removeEventListener: () => {},
    querySelectorAll: () => [],
  });
});

const definition = { objective: { name: "score", goal: "maximize" }, cost: { source: "reported", unit: "euros" }, budget: { total: 10 }, parameters: [{ name: "x", type: "float", min: 0, max: 1 }] } as unknown as Definition;
const done = (number: number, value: number): Trial => ({ number, state: "done", value, charged: 1, setting: { x: 0.5 }, point: [], asked: "2026-01-01T00:00:00Z", finished: new Date(1e12 + number).toISOString() });
const made = (id: string) => ({ id, name: "kiln", definition, known: 0, version: 1, counts: {}, ledger: { total: 10, spent: 1, reserved: 0 }, best: null }) as unknown as Study;

it("keeps what is being typed when the study changes meanwhile", async () => {
  const from = 'name: s\nparameters:\n  opt: {type: choice, values: ["16", "32"]}\n';
  const editor = (say: string) => h(StudyEditor, { from, say, act: "Save", acting: "", testid: "save", save: async () => {} });
  const page = await drawn(editor(""));
  for (const [field, text, want] of [["form-opt-values", '"16", "32", "64"', 'values: ["16", "32", "64"]'], ["form-opt-name", "optimizer", "optimizer: {"]] as const) {
    const input = page.at(field);
    input.value = text;
    input.fire("input");
    await drawnIn(page, editor(`a trial has ended: ${field}`));
    expect(input.value).toBe(text);
    input.fire("change");
    await settled();
    expect(page.at("yaml").value).toContain(want);
  }
  expect(page.at("form-optimizer-name").value).toBe("optimizer");
});

it("draws a bad value at the edge of a logarithmic axis", async () => {
  const steps = course("maximize", [1e-3, 1000, 1010, 1020, 1030, 1040, 1050, 1060, 1070, 1080].map((v, k) => done(k + 1, v)));
  const page = await drawn(h(MoneyChart, { definition, ledger: { total: 10, spent: 10, reserved: 0 }, steps, rest: null }));
  page.at("money-chart-log-y").fire("click");
  await settled();
  const marks = page.all().filter((e) => e.parentNode?.attributes["class"] === "marks");
  const ys = marks.flatMap((e) => [...(e.attributes["d"] ?? "").matchAll(/M[-\d.]+ ([-\d.]+)a/g)].map((m) => Number(m[1])));
  expect(ys.length).toBe(10);
  expect(Math.max(...ys) - Math.min(...ys)).toBeGreaterThan(200);
});

it("shows nothing of one trial under the name of another", async () => {
  let refuse = () => {};
  const other = () => new Promise<never>((_, fail) => (refuse = () => fail(new Error("gone"))));
  const near: Neighbour = { number: 3, known: false, state: "done", value: 2, cost: 1, distance: 0.1, differs: [], setting: { x: 0.4 } } as unknown as Neighbour;
  const slice = { parameter: "x", kind: "float", log: false, values: [0, 1], points: [0, 1].map(() => ({ value: 1, value_low: 0, value_high: 2, cost_low: 1, cost_median: 1, cost_high: 1 })) } as unknown as Slice;
  vi.spyOn(api, "neighbours").mockImplementation((_, n) => (n === 1 ? Promise.resolve([near]) : other()));
  let asked = 0;
  vi.spyOn(api, "slice").mockImplementation(() => (asked++ === 0 ? Promise.resolve(slice) : other()));
  const trials = [done(1, 1), done(2, 2)];
  const insight = { state: "ready", slices: [], best: null } as unknown as Insight;
  for (const [card, piece] of [
    [(n: number) => h(NeighboursCard, { study: made("a"), trial: trials[n - 1] as Trial, trials }), "tbody"],
    [(n: number) => h(SlicesCard, { study: made("a"), insight, trials, selected: n, learnt: "" }), "figure"],
  ] as const) {
    const page = await drawn(card(1));
    const pieces = () => page.all().filter((e) => e.localName === piece).length;
    expect(pieces()).toBe(1);
    await drawnIn(page, card(2));
    expect([pieces(), page.at("loading").text !== ""]).toEqual([0, true]);
    refuse();
    await settled();
    expect([pieces(), page.at("trouble").text !== ""]).toEqual([0, true]);
  }
});

it("remembers whose trials are by the study, not by its name", async () => {
  const running = { ...done(1, 0), state: "running" } as Trial;
  const held: Record<string, Held> = {};
  const Holder = ({ study, as }: { study: Study; as: string }) => ((held[as] = useHeld(study, [running])), null);
  await drawn(h(Holder, { study: made("old"), as: "old" }));
  held["old"]?.hold(1);
  await drawn(h(Holder, { study: { ...made("old"), name: "furnace" }, as: "renamed" }));
  await drawn(h(Holder, { study: made("new"), as: "new" }));
  expect([held["renamed"]?.numbers, held["new"]?.numbers]).toEqual([[1], []]);
});

it("does not ask at once for the rest of a character that has not come", async () => {
  const output = vi.spyOn(api, "output").mockResolvedValue({ text: "", offset: 5, next: 5, size: 7, skipped: 0 });
  const Printer = () => (useOutput("kiln", 1, "stdout", false), null);
  const page = await drawn(h(Printer, {}));
  for (let k = 0; k < 5; k++) await settled();
  expect(output).toHaveBeenCalledTimes(1);
  await drawnIn(page, null);
});

it("brushes with the first button, while it is held", async () => {
  let brushes: Brushes = {};
  const page = await drawn(h(Parallel, { definition, trials: [done(1, 1), done(2, 2)], best: null, brushes, onBrush: (b) => (brushes = b), selected: null }));
  const grip = page.at("brush-p.x").all().find((e) => e.attributes["class"] === "grip");
  const drag = (button: number, ...last: string[]) => {
    brushes = {};
    grip?.fire("pointerdown", { button, clientY: 100, pointerId: 1 });
    for (const name of last) grip?.fire(name, { clientY: 200, pointerId: 1 });
    return Object.keys(brushes);
  };
  expect([drag(2, "pointermove"), drag(0, "lostpointercapture", "pointermove"), drag(0, "pointermove")]).toEqual([[], [], ["p.x"]]);
});

it("takes more trials than a call takes arguments", { timeout: 60_000 }, async () => {
  const many = 130_000;
  const steps = course("maximize", Array.from({ length: many }, (_, k) => done(k + 1, 1e6 + k)));
  const compared = await drawn(h(CompareChart, { list: [{ study: made("a"), steps }], share: false }));
  expect(compared.at("compare-chart-log-y")).toBeDefined();
  const change = { study: made("a"), trials: Array(many).fill({ number: 1, state: "done" }), version: 2 };
  vi.spyOn(api, "study").mockResolvedValue(made("a"));
  vi.spyOn(api, "columns").mockResolvedValue({ version: 1, settings: {}, state: [], more: [] } as unknown as Columns);
  vi.stubGlobal("fetch", async () => new Response(`event: change\ndata: ${JSON.stringify(change)}\n\n`));
  let state: StudyState | null = null;
  const Follower = () => ((state = useStudy("kiln")), null);
  const page = await drawn(h(Follower, {}));
  await expect.poll(() => state?.trials?.length, { timeout: 30_000 }).toBe(1);
  await drawnIn(page, null);
});
