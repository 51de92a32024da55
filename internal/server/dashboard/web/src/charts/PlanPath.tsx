import type { Definition, Expected, Setting, Why } from "../api/types";
import { amount, axisName, number, percent, settingText } from "../lib/format";
import { newScale, ofMoney, place, ticks } from "../lib/scale";
import { valueBand, valueWords } from "../lib/words";
import { type Box, Frame, path, XAxis, YAxis } from "./Frame";

interface Stop {
  cost: number; // all together, when it is done
  expected: Expected;
  setting: Setting;
}

interface Props {
  definition: Definition;
  why: Why;
  setting: Setting;
  best: number | null;
}

// stops are the trial itself and those that the plan would try after it.
export function stops(why: Why, setting: Setting): Stop[] {
  if (!why.expected) return [];
  let cost = 0;
  return [{ setting, expected: why.expected }, ...(why.next ?? [])].map((s) => {
    cost += s.expected.cost;
    return { cost, ...s };
  });
}

// PlanPath draws the plan: the expected value of each step against all that will have been paid for by then.
export function PlanPath({ definition: d, why, setting, best }: Props) {
  const list = stops(why, setting);
  if (list.length === 0) return null;
  return (
    <Frame label="the plan: expected values against expected costs" height={250} class="value plan" testid="plan-path" table={() => [["step", `cost from here on, ${d.cost.unit}`, `${d.objective.name}, expected`, "low", "high", "setting"], ...list.map((s, k) => [k + 1, s.cost, s.expected.value, ...valueBand(s.expected), settingText(d.parameters, s.setting)])]}>
      {(width) => {
        const box: Box = { left: 62, right: width - 22, top: 30, bottom: 204, width, height: 250 };
        const x = ofMoney(newScale([0, ...list.map((s) => s.cost * 1.08)], false, 0, box.left, box.right), d.cost);
        const reach = list.flatMap((s) => valueBand(s.expected));
        const y = newScale(best === null ? reach : [...reach, best], false, 0.12, box.bottom, box.top);
        const at = list.map((s): [number, number] => [place(x, s.cost), place(y, s.expected.value)]);
        return (
          <>
            <YAxis box={box} ticks={ticks(y, 5)} name={`${d.objective.name}, expected`} />
            <XAxis box={box} ticks={ticks(x, Math.max(2, Math.floor(width / 100)))} name={axisName("cost from here on", d.cost)} />
            {best !== null && (
              <>
                <path class="at" d={`M${box.left} ${place(y, best)}H${box.right}`} />
                <text class="here halo" x={box.left + 6} y={place(y, best) - 6}>
                  best before {number(best)}
                </text>
              </>
            )}
            <path class="course" d={path(at)} />
            {list.map((s, k) => {
              const [cx, cy] = at[k] ?? [0, 0];
              const [low, high] = valueBand(s.expected);
              return (
                <g key={k} data-tip={`${k === 0 ? "this trial" : `step ${k + 1}`}: ${d.objective.name} ${valueWords(s.expected)} for ${amount(d.cost, s.expected.cost)}${k === 0 ? `, ${percent(s.expected.fits)} likely to fit` : ""}\n${settingText(d.parameters, s.setting)}`}>
                  <path class="whisker thin" d={`M${cx} ${place(y, low)}V${place(y, high)}`} />
                  <circle class={k === 0 ? "stop first" : "stop"} cx={cx} cy={cy} r="11" />
                  <text class={k === 0 ? "stopno first mid" : "stopno mid"} x={cx} y={cy + 4}>
                    {k + 1}
                  </text>
                </g>
              );
            })}
          </>
        );
      }}
    </Frame>
  );
}
