import { describe, expect, it } from "vitest";
import { faultAt, problemFrom, without } from "../src/api/problem";
import { EventReader } from "../src/api/sse";
import { lineOf, mistakeAt, type Placed, placed, remaining } from "../src/lib/place";
import { parse, studyPath } from "../src/lib/router";
import { template } from "../src/lib/template";
import { notNumber, parseNumber } from "../src/parts/NumberField";

describe("server-sent events", () => {
  const text = "event: change\r\nid: 7\r\ndata: {\"a\":\r\ndata: 1}\r\n\r\n: comment\n\nevent: ping\ndata: {}\n\ndata: x\n\n";
  const want = [
    { event: "change", data: '{"a":\n1}', id: "7" },
    { event: "ping", data: "{}", id: "7" },
    { event: "message", data: "x", id: "7" },
  ];
  it.each([1, 2, 3, 7, 1000])("come whole from pieces of %d", (size) => {
    const r = new EventReader();
    const got = [];
    for (let i = 0; i < text.length; i += size) got.push(...r.push(text.slice(i, i + size)));
    expect(got).toEqual(want);
  });
});

describe("problems", () => {
  it("are read from a document", () => {
    const p = problemFrom(422, JSON.stringify({ title: "Unprocessable Entity", status: 422, detail: "no", code: "bad_request", errors: [{ location: "body.add", message: "too small", value: -1 }, 3] }), "5");
    expect([p.code, p.message, p.retryAfter, p.fields.length, p.fields[0]?.location]).toEqual(["bad_request", "no", 5, 1, "body.add"]);
  });
  it.each(["", "<html>", "[]", "null", "{}"])("are made of anything: %s", (body) => expect(problemFrom(502, body, null).title).toContain("502"));
});

describe("places in a study file", () => {
  it.each([["budget.total", 11], ["parameters.lr.min", 17], ["parameters.momentum.when.optimizer", 20], ["parameters.nothing", 16], ["cost.source", 8], ["nothing", 0]])("%s is in line %d", (field, line) => expect(lineOf(template, field)).toBe(line));
  it("are taken from the server, and looked for if it names none", () => {
    expect(placed(template, { message: "m", line: 3, column: 2, hint: "h" })).toMatchObject({ line: 3, column: 2, hint: "h" });
    expect(placed(template, { message: "line 4: bad", location: "body" })).toMatchObject({ line: 0, message: "line 4: bad", field: "" });
    expect(placed(template, { message: "min is bad", location: "body.parameters.lr.min" })).toMatchObject({ line: 17, field: "parameters.lr.min" });
    expect(placed(template, { message: "m", line: 9999 }).line).toBe(0);
  });
});

describe("addresses", () => {
  it("lead back to where they came from", () => {
    expect(parse("/studies/a%20b/trials", "?trial=3")).toEqual({ page: "study", name: "a b", tab: "trials", trial: 3 });
    expect(studyPath("a b", "trials", 3)).toBe("/studies/a%20b/trials?trial=3");
    expect(parse("/compare", "?study=a&study=b%2Cc")).toEqual({ page: "compare", studies: ["a", "b,c"] });
    expect(parse("/studies/x/nowhere", "").page).toBe("nowhere");
    expect(parse("/studies/%E0%A4%A", "")).toMatchObject({ page: "study", name: "%E0%A4%A" });
  });
});

it.each([["1e-3", 0.001], ["1,234.5", 1234.5], [" .5 ", 0.5], ["−2", -2], ["", null], ["1e999", null], ["0x10", null], ["1 2", null], ["NaN", null], ["1,5", null], ["0,125", null], ["−0,500", null], ["01,234", null], ["1234,567", null], ["1,23,456", null], ["1,234", null], ["−12,500", null], ["1,234e3", null], ["1,234.", 1234], ["+1,234,567", 1234567], ["−12,345.e1", -123450]])("%s is the number %s", (text, want) => expect(parseNumber(text)).toBe(want));

it.each([["1,234", "Write 1234 or 1.234."], [" −12,500", "Write −12500 or −12.500."], ["0,125", "Write a decimal point, not a comma."], ["1.234,5", "Write a decimal point, not a comma."], ["many", "This is not a number."]])("%s is told apart: %s", (text, want) => expect(notNumber(text)).toBe(want));

describe("a problem's fields", () => {
  const p = problemFrom(422, JSON.stringify({ title: "no", code: "bad_request", errors: [{ location: "body.add", message: "too large", hint: "give less" }, { location: "body.other", message: "unknown" }] }), null);
  it("are said where they are, the rest elsewhere", () => {
    expect([faultAt(p, "add"), faultAt(p, "ad"), faultAt(null, "add")]).toEqual(["too large; give less", "", ""]);
    expect(without(p, ["add"])?.fields.map((f) => f.location)).toEqual(["body.other"]);
    expect(without(p, ["add", "other"])).toBeNull();
  });
  it("that were never there leave the problem whole", () => {
    const whole = problemFrom(409, "{}", null);
    expect(without(whole, ["add"])).toBe(whole);
  });
});

describe("mistakes in a study file", () => {
  const wrong = (field: string, line = lineOf(template, field)): Placed => ({ field, line, column: 3, message: "is wrong", hint: "give another" });
  const errors = [wrong("budget.total"), wrong("parameters.lr.min"), wrong("", 0)];
  const left = (now: string) => remaining(errors, template, now);
  it("are said at their fields", () => {
    expect(mistakeAt(errors, "budget.total")).toBe("is wrong; give another");
    expect(mistakeAt(errors, "budget")).toBe("");
  });
  it("stay until their field is changed", () => {
    expect(left(template.replace("total: 100", "total: 50")).map((e) => e.field)).toEqual(["parameters.lr.min", ""]);
    expect(left(template.replace("my-study", "another"))).toEqual(errors);
    expect(left("name: [").map((e) => e.field)).toEqual(errors.map((e) => e.field)); // nobody knows what it says now
  });
  it("go down with their lines", () => expect(left(`# one more line\n${template}`).map((e) => e.line)).toEqual([12, 18, 0]));
});
