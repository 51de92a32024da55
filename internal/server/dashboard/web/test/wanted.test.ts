import { expect, it } from "vitest";
import { listPath, usual, wantedOf } from "../src/lib/wanted";

const again = (path: string) => wantedOf(path.slice(1));

it("keeps in the address what is listed", () => {
  expect(listPath(usual)).toBe("/");
  expect(listPath({ ...usual, search: "a&b", state: "finished", skip: 50 })).toBe("/?search=a%26b&state=finished&skip=50");
  for (const w of [usual, { ...usual, search: "ü #1", tag: "x" }, { ...usual, sort: "name" as const, down: false }, { ...usual, sort: "name" as const, down: true }, { ...usual, down: false, skip: 25 }]) {
    expect(again(listPath(w))).toEqual(w);
  }
});

it("takes no nonsense from an address", () => expect(wantedOf("?sort=nothing&state=dead&skip=-3")).toEqual(usual));
