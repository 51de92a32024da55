// Go and the page write alike: both are tested against the table of examples of the Go package say.
import { describe, expect, it } from "vitest";
import type { Cost, Expected, Goal, Ledger, Param, Rest, Setting, Trial, State, Value } from "../src/api/types";
import examples from "../../../../say/testdata/examples.json";
import { accountWords, course, markWords, parts, shownRange } from "../src/lib/course";
import { amount, axisName, bare, clock, digits, duration, estimate, moment, number, percent, plural, seen, settingText, share, spread, tickLabel, valueText } from "../src/lib/format";
import { newScale, ticks } from "../src/lib/scale";
import { chosenWords, expectedWords, restWords, sentence, tally } from "../src/lib/words";

type Row = readonly unknown[];

// each says something of a row's first columns, and compares it with the last.
function each(kind: string, rows: readonly Row[], said: (row: Row) => string): void {
  describe(kind, () => {
    it("has examples", () => expect(rows.length).toBeGreaterThan(0));
    it.each(rows.map((row) => [JSON.stringify(row.slice(0, -1)), row] as const))("%s", (_, row) => expect(said(row)).toBe(row.at(-1)));
  });
}

const costOf = (row: Row): Cost => ({ unit: row[0] as string, source: row[1] as Cost["source"] });

each("number", examples.number, ([v]) => number(Number(v)));
each("digits", examples.digits, ([v, n]) => digits(Number(v), n as number));
each("percent", examples.percent, ([v]) => percent(Number(v)));
each("count", examples.count, ([n, noun]) => plural(n as number, noun as string));
each("duration", examples.duration, ([v]) => duration(Number(v)));
each("clock", examples.clock, ([v]) => clock(v as number));
each("amount", examples.amount.map((r) => r.slice(0, 4)), (row) => amount(costOf(row), Number(row[2])));
each("bare amount", examples.amount, (row) => bare(costOf(row), Number(row[2])));
each("tick", examples.tick, ([v, step, largest]) => tickLabel(v as number, step as number, largest as number));
each("ticks", examples.ticks, ([lo, hi, kind, n]) => {
  const s = { ...newScale([lo as number, hi as number], kind === "log", 0, 0, 1, kind === "whole"), clock: kind === "clock" };
  return ticks(s, n as number).map((t) => t.label).join(" ");
});
each("value", examples.value, ([v]) => valueText(v as Value | null));
each("spread", examples.spread, ([v, sd]) => spread(Number(v), Number(sd)));
each("estimate", examples.estimate, ([v, low, high]) => estimate(Number(v), Number(low), Number(high)).join(", "));
each("seen", examples.seen, ([values]) => seen(values as number[]));
each("setting", examples.setting.map((s) => [s, s.text]), ([s]) => {
  const { parameters, setting } = s as { parameters: Param[]; setting: Setting };
  return settingText(parameters, setting);
});
each("expected", examples.expected.map((e) => [e, e.text]), ([e]) => {
  const { objective, cost, per_trial, expected } = e as { objective: string; cost: Cost; per_trial?: number; expected: Expected };
  return expectedWords(objective, cost, expected, per_trial);
});
each("rest", examples.rest.map((r) => [r, r.text]), ([r]) => {
  const { objective, cost, rest } = r as { objective: string; cost: Cost; rest: Rest };
  return restWords(objective, cost, rest);
});
each("chosen", examples.chosen, ([policy, picked]) => chosenWords(policy as string, picked as string));
each("tally", examples.tally, ([counts]) => tally(counts as Partial<Record<State, number>>));
each("account", examples.account, (row) => accountWords(costOf(row), row[2] as Ledger));

describe("the course of a study", () => {
  it("marks trials in the same words", () => expect(markWords).toEqual(examples.marks));
  it.each(examples.course.map((c) => [c.goal, c] as const))("%s", (goal, c) => {
    const trials = c.trials as Trial[];
    expect(course(goal as Goal, trials).map((s) => [s.trial.number, s.spent, s.best, s.mark])).toEqual(c.steps);
    expect(parts(c.ledger, c.spending).map((p) => [p.kind, p.name, p.money])).toEqual(c.parts);
  });
  it.each(examples.shown.map((row) => [row] as const))("draws %j", ([goal, values, want]) => expect(shownRange(values as number[], goal as Goal)).toEqual(want));
});

describe("what only the page says", () => {
  it("names the unit once", () => expect(share({ unit: "core-hours", source: "reported" }, 3, 12.5)).toBe("3 of 12.5 core-hours"));
  it("names axes", () => {
    expect(axisName("spent", { unit: "core-hours", source: "reported" })).toBe("spent, core-hours");
    expect(axisName("spent", { unit: "seconds", source: "walltime" })).toBe("spent");
  });
  it("makes sentences", () => expect(sentence("asked for by hand")).toBe("Asked for by hand."));
});

it("writes a moment as clocks here have it", () => {
  expect(moment(new Date(2026, 10, 6, 5, 7, 9).toISOString())).toBe("2026-11-06 05:07:09");
  expect(moment("never")).toBe("–");
});
