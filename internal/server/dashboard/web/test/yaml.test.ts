import { describe, expect, it } from "vitest";
import { template } from "../src/lib/template";
import { added, changed, listed, listOf, nodeAt, readYaml, renamed, textAt } from "../src/lib/yaml";

describe("a study file", () => {
  const root = readYaml(template);
  it.each([
    [["name"], "my-study"], [["objective", "goal"], "minimize"], [["cost", "unit"], "GPU-hours"], [["budget", "total"], "100"], [["parameters", "lr", "min"], "1e-5"],
    [["parameters", "momentum", "when", "optimizer"], "sgd"], [["parallel"], "1"], [["budget", "per_trial"], ""],
  ] as [string[], string][])("has %s", (path, want) => expect(textAt(root, ...path)).toBe(want));
  it("has lists", () => expect(nodeAt(root, ["parameters", "optimizer", "values"])).toMatchObject({ is: "list", items: [{ value: "sgd" }, { value: "adam" }] }));

  it("is changed in one place", () => {
    const after = changed(template, ["budget", "total"], "250");
    expect(after).toBe(template.replace("total: 100 ", "total: 250 "));
    expect(changed(after, ["budget", "total"], "100")).toBe(template);
    expect(changed(template, ["parameters", "lr", "max"], "0.5")).toBe(template.replace("max: 0.1", "max: 0.5"));
  });
  it("gets what is missing, and loses it again", () => {
    const after = changed(template, ["budget", "per_trial"], "10");
    expect(textAt(readYaml(after), "budget", "per_trial")).toBe("10");
    expect(changed(after, ["budget", "per_trial"], "")).toBe(template);
    const logged = changed(template, ["parameters", "layers", "log"], "true");
    expect(logged).toContain("layers: {type: int, min: 1, max: 8, log: true}");
    expect(changed(logged, ["parameters", "layers", "log"], "")).toBe(template);
    expect(changed("name: a\n", ["budget", "total"], "5")).toBe("name: a\nbudget: {total: 5}\n");
    expect(changed("name: a", ["seed"], "5")).toBe("name: a\nseed: 5\n");
    expect(changed("budget:\nname: a\n", ["budget", "total"], "5")).toBe("budget: {total: 5}\nname: a\n");
  });
  it("gets and loses parameters", () => {
    const after = added(template, ["parameters", "beta"], "beta: {type: float, min: 0, max: 1}");
    expect(textAt(readYaml(after), "parameters", "beta", "type")).toBe("float");
    expect(after).toContain("  beta: {type: float, min: 0, max: 1}\n");
    expect(changed(after, ["parameters", "beta"], "")).toBe(template);
    expect(renamed(template, ["parameters", "lr"], "rate")).toBe(template.replace("  lr: {", "  rate: {"));
  });
  it("quotes what must be quoted", () => {
    for (const name of ["a: b", "# c", "x,y", "", "{", "-a", 'say "x"', "true", "1e-5", "-3", "a#b"]) expect(textAt(readYaml(changed("name: a\n", ["name"], name || "z")), "name")).toBe(name || "z");
  });
});

describe("a list in one field", () => {
  // typed adds to the field what follows, and returns the file.
  const typed = (file: string, more: string) => ((was) => changed(file, ["v"], listOf(was.join(", ") + more, was)))(listed(file, nodeAt(readYaml(file), ["v"])));
  it("changes only what was changed", () => {
    for (const list of ['["16", "32", "a, b"]', "['it''s', ~, 1e-3, -.5, a/b]", "[true, \"true\", x y, it's, b's]"]) expect(typed(`v: ${list}\n`, ", 64")).toBe(`v: ${list.slice(0, -1)}, 64]\n`);
  });
  it("may stand in lines of its own", () => {
    const after = typed('v:\n  - "16"\n  - a, b # two\n  - c\nw: 1\n', ", 64");
    expect(nodeAt(readYaml(after), ["v"])).toMatchObject({ items: [{ value: "16" }, { value: "a, b" }, { value: "c" }, { value: "64" }] });
    expect(textAt(readYaml(after), "w")).toBe("1");
    expect(typed(after, ", 65")).toContain('["16", "a, b", c, 64, 65]');
  });
  it("quotes what must be quoted", () => expect(listOf(' sgd,, -3, "a, b" , x: y, "c, it\'s #1', [])).toBe('[sgd, -3, "a, b", "x: y", "\\"c", "it\'s #1"]'));
});

describe("YAML", () => {
  it("is read in many styles", () => {
    const root = readYaml("a:\n  - x\n  - {b: 'it''s', c: \"q\\\"#\"}\nlist:\n- 1\n- 2\nm: {a: [1,\n  2], b: } # end\nurl: http://x/y#z\n");
    expect(nodeAt(root, ["a"])).toMatchObject({ is: "list", items: [{ value: "x" }, { is: "map" }] });
    expect(nodeAt(root, ["list"])).toMatchObject({ items: [{ value: "1" }, { value: "2" }] });
    expect(nodeAt(root, ["m", "a"])).toMatchObject({ items: [{ value: "1" }, { value: "2" }] });
    expect(textAt(root, "url")).toBe("http://x/y#z");
  });
  it.each(["a: [1", "a: {b 3}", "\ta: 1", "a: |\n  x", "a: &x 1", 'a: "b', "a: 1\n  b: 2", "just words"])("%j is not", (text) => expect(() => readYaml(text)).toThrow());
});
