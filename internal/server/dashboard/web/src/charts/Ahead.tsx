// The margin of the main chart: the money that is left, and what it is expected to buy.
import type { Definition, Ledger, Rest } from "../api/types";
import { amount, bare } from "../lib/format";
import { path } from "./Frame";
import type { View } from "./Graph";

const room = 0.6; // of the range of the values, which early forecasts exceed by far

// withFan makes room for a forecast beside the values that are shown.
export function withFan(values: number[], rest: Rest | null): number[] {
  if (rest === null) return values;
  const [lo, hi] = [Math.min(...values), Math.max(...values)];
  const more = room * (hi - lo);
  return [...values, Math.min(Math.max(rest.better, lo - more), hi + more)];
}

// drawnFan is the band that holds the best value with eight chances in ten, and its middle.
export function drawnFan(v: View, from: number, to: number, rest: Rest | null) {
  if (rest === null || !(rest.left > 0)) return null;
  const { top, bottom } = v.box;
  const at = (money: number, value: number): [number, number] => [from + Math.min(money / rest.left, 1) * (to - from), Math.min(Math.max(v.y(value), top), bottom)];
  const start = at(0, rest.best);
  return (
    <g class="fan">
      <path class="band" d={path([start, ...rest.fan.map((o) => at(o.money, o.worse)), ...rest.fan.toReversed().map((o) => at(o.money, o.better))], true)} />
      <path class="course" d={path([start, ...rest.fan.map((o) => at(o.money, o.median))])} />
    </g>
  );
}

interface Props {
  name: string; // of the axis
  definition: Definition;
  ledger: Ledger;
  left: number;
  fan: ReturnType<typeof drawnFan>;
  view: View;
  from: number;
  to: number;
}

export function Budget({ name, definition: d, ledger, left, fan, view, from, to }: Props) {
  const { top, bottom } = view.box;
  return (
    <g>
      <rect class="margin" x={from} y={top} width={to - from} height={bottom - top} />
      {fan}
      <path class="seam" d={`M${from} ${top}V${bottom}`} />
      <path class="budgetline" d={`M${to} ${top - 4}V${bottom}`} />
      <text class="name end" x={to} y={top - 10}>
        budget {amount(d.cost, ledger.total)}
      </text>
      <text class="end" x={to} y={bottom + 16}>
        {to - from < 130 ? bare(d.cost, left) : `${amount(d.cost, left)} unspent`}
      </text>
      <text class="name end" x={from} y={bottom + 33}>
        {name}
      </text>
    </g>
  );
}
