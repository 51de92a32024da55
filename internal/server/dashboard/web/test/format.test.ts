import { describe, expect, it } from "vitest";
import { amount, digits, duration, grouped, number, percent, settingText, valueText } from "../src/lib/format";

describe("numbers", () => {
  it.each([
    [0, "0"], [1, "1"], [0.1 + 0.2, "0.3"], [1e-12, "1e-12"], [1.23456e-12, "1.235e-12"], [1e12, "1e12"], [-2.5e9, "-2.5e9"], [0.001, "0.001"], [0.00099, "9.9e-4"],
    [12345.678, "12,346"], [1234.5, "1235"], [9999999, "9,999,999"], [1e7, "1e7"], [-0.00001, "-1e-5"], [NaN, "–"], [Infinity, "–"], [100, "100"],
  ])("%d is %s", (v, want) => expect(number(v)).toBe(want));
  it("has as many digits as asked for", () => expect(digits(Math.PI, 3)).toBe("3.14"));
  it("groups long ones", () => expect([grouped("1234"), grouped("-1234567.25")]).toEqual(["1234", "-1,234,567.25"]));
  it("never rounds a chance to certainty", () => expect([0, 0.004, 0.5, 0.996, 1].map(percent)).toEqual(["0 %", "< 1 %", "50 %", "> 99 %", "100 %"]));
});

describe("money and time", () => {
  it.each([
    [0, "0 s"], [0.0005, "0.5 ms"], [0.25, "250 ms"], [9.5, "9.5 s"], [59.99, "1 min"], [150, "2 min 30 s"], [3599.9, "1 h"], [5400, "1 h 30 min"], [200000, "2 d 8 h"],
  ])("%d s is %s", (v, want) => expect(duration(v)).toBe(want));
  it("names the unit", () => {
    expect(amount({ unit: "$", source: "reported" }, 3.14159)).toBe("$3.142");
    expect(amount({ unit: "GPU-hours", source: "reported" }, 1e-12)).toBe("1e-12 GPU-hours");
    expect(amount({ unit: "seconds", source: "walltime" }, 90)).toBe("1 min 30 s");
    expect(amount({ unit: "seconds", source: "reported" }, 90)).toBe("90 seconds");
  });
});

describe("settings", () => {
  it("keeps the study's order and leaves out what does not exist", () => {
    const params = [{ name: "b", type: "float" as const }, { name: "a", type: "int" as const }, { name: "k", type: "fixed" as const }, { name: "c", type: "bool" as const }];
    expect(settingText(params, { a: 3, b: 0.5, k: 1 })).toBe("b 0.5 · a 3");
  });
  it("writes whole numbers in full", () => expect([valueText(123456), valueText(true), valueText(undefined), valueText("x")]).toEqual(["123456", "true", "–", "x"]));
});
