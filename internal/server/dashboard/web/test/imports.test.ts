import { expect, it } from "vitest";

const sources = import.meta.glob<string>("../src/**/*.{ts,tsx}", { query: "?raw", import: "default", eager: true });

// importsOf lists the modules that one imports, also for their types alone.
function importsOf(file: string, text: string): string[] {
  const named = [...text.matchAll(/\b(?:from|import)\s*\(?\s*"(\.[^"]*)"/g)].map((m) => new URL(m[1] ?? "", `file:///web/test/${file}`).pathname.replace("/web/", "../"));
  return named.flatMap((path) => ["", ".ts", ".tsx"].map((ext) => path + ext)).filter((path) => path in sources);
}

// circle is the first way from a module back to itself, if there is one.
function circle(graph: Map<string, string[]>): string[] | null {
  const done = new Set<string>();
  const walk = (at: string, way: string[]): string[] | null => {
    if (way.includes(at)) return [...way.slice(way.indexOf(at)), at];
    if (done.has(at)) return null;
    done.add(at);
    for (const next of graph.get(at) ?? []) {
      const found = walk(next, [...way, at]);
      if (found) return found;
    }
    return null;
  };
  for (const at of graph.keys()) {
    const found = walk(at, []);
    if (found) return found;
  }
  return null;
}

it("has no modules that import each other in a circle", () => {
  const graph = new Map(Object.entries(sources).map(([file, text]) => [file, importsOf(file, text)]));
  expect(graph.get("../src/api/client.ts")).toContain("../src/lib/wanted.ts"); // types are seen
  expect(circle(graph)).toBeNull();
});

it("sees a circle", () => {
  const graph = new Map([["a", ["b"]], ["b", ["c", "d"]], ["c", []], ["d", ["b"]]]);
  expect(circle(graph)).toEqual(["b", "d", "b"]);
});
