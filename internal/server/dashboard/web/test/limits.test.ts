import { describe, expect, it } from "vitest";
import type { Trial } from "../src/api/types";
import { course, notCounted } from "../src/lib/course";
import { counts } from "../src/lib/format";
import { trouble } from "../src/lib/words";

const trial = (number: number, value: number, more: Partial<Trial>): Trial => ({ number, state: "done", setting: {}, point: [], value, charged: 1, asked: "2026-01-01T00:00:00Z", finished: `2026-01-01T00:00:0${number}Z`, ...more });

describe("limits", () => {
  const beyond = trial(1, 1, { metrics: { memory: 9.5 }, violates: ["memory"] });
  const within = trial(2, 2, { metrics: { memory: 4 } });
  it("leave out what does not meet them", () => {
    expect([counts(beyond), counts(within)]).toEqual([false, true]);
    expect(course("minimize", [beyond, within]).map((s) => s.mark)).toEqual(["beyond", "best"]);
  });
  it("are told in the tool's words", () => {
    expect(notCounted(beyond)).toBe("memory 9.5 is beyond its limit: does not count");
    expect(notCounted(trial(3, 1, { violates: ["memory"] }))).toBe("no memory was reported: does not count");
    expect(notCounted(within)).toBe("");
  });
});

it("shows what a trial said last, not how it ended", () => {
  expect(trouble("exit code 1\nstderr ends:\n    Traceback\n    CUDA out of memory\nit reported no cost")).toBe("CUDA out of memory (exit code 1)");
  expect(trouble("exit code 1")).toBe("exit code 1");
});
