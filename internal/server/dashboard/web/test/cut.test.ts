import { expect, it } from "vitest";
import { cut, cuts } from "../src/lib/cut";

it("cuts names, and keeps what tells them apart", () => {
  expect([cut("palladium", 9), cut("palladium", 5)]).toEqual(["palladium", "pall…"]);
  expect(cuts(["palladium acetate 1", "palladium acetate 12", "iron"], 8)).toEqual(["…etate 1", "…tate 12", "iron"]);
  expect(cuts(["learning_rate", "layers"], 8)).toEqual(["learnin…", "layers"]);
});
