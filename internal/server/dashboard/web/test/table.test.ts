import { describe, expect, it } from "vitest";
import type { Trial } from "../src/api/types";
import { csv } from "../src/lib/csv";
import { filterOf } from "../src/lib/filter";
import { arranged, paramColumn, sorted, swapped } from "../src/lib/sort";
import { priced } from "../src/lib/trade";
import { rowWindow } from "../src/lib/window";
import { folded } from "../src/state/trials";

const trial = (number: number, setting: Trial["setting"], more: Partial<Trial> = {}): Trial => ({ number, state: "done", setting, point: [], value: 0, asked: "", ...more });

describe("rowWindow", () => {
  it("draws a screenful out of ten thousand", () => {
    const w = rowWindow(150_000, 600, 30, 10_000, 5);
    expect(w).toEqual({ from: 4995, to: 5025, above: 4995 * 30, below: (10_000 - 5025) * 30 });
  });
  it("keeps the height whatever is drawn", () => {
    for (const scroll of [-50, 0, 29, 30, 1e9]) {
      const w = rowWindow(scroll, 600, 30, 1000);
      expect(w.above + w.below + 30 * (w.to - w.from)).toBe(30_000);
      expect(w.to - w.from).toBeGreaterThanOrEqual(20);
    }
  });
  it("draws all of few, and none of none", () => {
    expect(rowWindow(500, 600, 30, 3)).toEqual({ from: 0, to: 3, above: 0, below: 0 });
    expect(rowWindow(0, 600, 30, 0)).toEqual({ from: 0, to: 0, above: 0, below: 0 });
  });
});

describe("sorting", () => {
  const column = paramColumn({ name: "x", type: "float" });
  const list = [trial(1, { x: 2 }), trial(2, {}), trial(3, { x: 10 }), trial(4, { x: 2 })];
  it("puts what is missing last, both ways", () => {
    expect(sorted(list, column, false).map((t) => t.number)).toEqual([1, 4, 3, 2]);
    expect(sorted(list, column, true).map((t) => t.number)).toEqual([3, 1, 4, 2]);
  });
});

describe("filtering", () => {
  const t = trial(12, { optimizer: "adam", layers: 3, lr: 1e-3 }, { note: "Out of memory", runner: "gpu-1", value: 0.5 });
  const columns = [
    { key: "number", name: "#", aliases: ["number"], numeric: true, width: 1, cell: (t: Trial) => t.number },
    { key: "value", name: "loss", aliases: ["value"], numeric: true, width: 1, cell: (t: Trial) => (t.state === "done" ? (t.value ?? null) : null) },
    paramColumn({ name: "lr", type: "float" }),
    paramColumn({ name: "layers", type: "int" }),
    paramColumn({ name: "optimizer", type: "choice" }),
    paramColumn({ name: "momentum", type: "float" }),
  ];
  it.each([
    ["", true], ["adam", true], ["ADAM memory", true], ["layers=3", true], ["#12", true], ["#1", false], ["sgd", false], ["adam sgd", false], ["gpu-1", true],
    ["layers<3", false], ["layers <= 3", true], ["lr < 0.01 and layers > 2", true], ["lr<0.01 and layers>3", false], ["loss >= 0.5 value<1", true], ["optimizer != sgd", true],
    ["optimizer = Adam", true], ["momentum < 1", false], ["momentum != 1", false], ["layers = 30", false], ['"out of"', true], ["number > 11 && adam", true], ["lr=1e-3", true],
  ])("%s: %s", (query, want) => expect([filterOf(query, columns).error, filterOf(query, columns).found(t)]).toEqual(["", want]));
  it.each([
    ["lr <", "a value must follow <"], ["< 3", "a name must stand before <"], ["speed > 3", "there is no speed; there are number, value, lr"], ["lr < fast", "lr is a number, and fast is none"],
    ["optimizer > adam", "optimizer is no number"], ["lr < 1 and", "both sides of and"], ["adam or sgd", "or is not known"], ['"open', "quotation mark"], ["lr < < 3", "a value must follow <"],
  ])("%s is wrong", (query, want) => {
    const f = filterOf(query, columns);
    expect(f.error).toContain(want);
    expect(f.found(t)).toBe(true);
  });
  it("survives anything", () => {
    for (let k = 0; k < 500; k++) {
      const query = Array.from({ length: 1 + (k % 9) }, (_, i) => ['<', '>', '=', '!', '&', '"', ' ', 'and', 'lr', '3', '#', '≤', 'ü'][(k * 7 + i * i * 5 + ((k * i) % 11)) % 13]).join("");
      expect(typeof filterOf(query, columns).found(t)).toBe("boolean");
    }
  });
  it("arranges columns", () => {
    const keys = (order: string[]) => arranged(columns, { order, hidden: [] }).map((c) => c.key);
    expect(keys([])).toEqual(columns.map((c) => c.key));
    expect(keys(swapped(columns, "value", -1)).slice(0, 3)).toEqual(["value", "number", "p.lr"]);
    expect(swapped(columns, "number", -1)).toEqual(columns.map((c) => c.key));
  });
});

describe("CSV", () => {
  it("has no formulas", () => expect(csv([["=1+1", "+a", "-b", "@c", "\td", -5, "a,\"b\"", null, true]])).toBe(`'=1+1,'+a,'-b,'@c,'\td,-5,"a,""b""",,true\r\n`));
});

describe("the front of cost and value", () => {
  const list = [trial(1, {}, { value: 3, charged: 1 }), trial(2, {}, { value: 2, charged: 2 }), trial(3, {}, { value: 2.5, charged: 3 }), trial(4, {}, { value: 1, charged: 9 }), trial(5, {}, { value: 0, charged: 9, beyond: true }), trial(6, {}, { value: 2, charged: 2 })];
  const front = (goal: "minimize" | "maximize") => priced(goal, list).filter((p) => p.front).map((p) => p.trial.number);
  it("is what no trial beats", () => expect([front("minimize"), front("maximize")]).toEqual([[1, 2, 4], [1]]));
});

describe("changes", () => {
  it("are put in their places", () => {
    const before = [trial(1, {}), trial(2, {}, { state: "running" })];
    const after = folded(before, [trial(2, {}), trial(3, {}, { state: "running" })]);
    expect(after.map((t) => `${t.number} ${t.state}`)).toEqual(["1 done", "2 done", "3 running"]);
    expect(before[1]?.state).toBe("running");
    expect(folded(before, [])).toBe(before);
  });
  it("may come in any order", () => expect(folded([trial(1, {})], [trial(3, {}), trial(2, {})]).map((t) => t.number)).toEqual([1, 2, 3]));
});
