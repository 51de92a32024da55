import type { ComponentChildren } from "preact";
import type { Cell } from "../lib/csv";
import { cut, cuts } from "../lib/cut";
import type { Tick } from "../lib/scale";
import { Export } from "../parts/Export";
import { useWidth } from "../state/useWidth";

export interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
  width: number;
  height: number;
}

interface Props {
  label: string;
  height: number;
  least?: number; // a chart narrower than this is scrolled
  class?: string;
  testid: string;
  table: () => Cell[][]; // the data, to be saved
  role?: "img" | "group"; // a group: there is something inside to be worked with
  children: (width: number) => ComponentChildren;
}

// Frame is an SVG as wide as its place.
export function Frame({ label, height, least = 0, class: name = "", testid, table, role = "img", children }: Props) {
  const [ref, room] = useWidth<HTMLDivElement>();
  const width = Math.max(room, least);
  return (
    <div class="charted">
      <div class="tools over">
        <Export name={testid} table={table} />
      </div>
      <div ref={ref} class="scroll" data-testid={testid}>
        {room > 0 && (
          <svg class={`chart ${name}`} role={role} aria-label={label} width={width} height={height} viewBox={`0 0 ${width} ${height}`}>
            {children(width)}
          </svg>
        )}
      </div>
    </div>
  );
}

interface AxisProps {
  box: Box;
  ticks: Tick[];
  name: string;
}

const letter = 6.6; // pixels, about

const tall = 13; // pixels from one slanted label to the next

// closest is how far the two ticks are apart that are nearest to each other.
function closest(ticks: Tick[]): number {
  const places = ticks.map((t) => t.at).sort((a, b) => a - b);
  return Math.max(1, Math.min(...places.slice(1).map((p, k) => p - (places[k] ?? 0))));
}

// crowded says whether labels beside each other would overlap.
function crowded(ticks: Tick[]): boolean {
  return closest(ticks) < letter * Math.max(0, ...ticks.map((t) => Math.min([...t.label].length, 14))) + 4;
}

// slanted is how much more room the labels of an axis need below it.
export const slanted = (ticks: Tick[]): number => (crowded(ticks) ? 34 : 0);

export function XAxis({ box, ticks, name }: AxisProps) {
  const low = box.bottom + slanted(ticks);
  const labels = cuts(ticks.map((t) => t.label), low > box.bottom ? 9 : 14);
  const every = low > box.bottom ? Math.ceil(tall / closest(ticks)) : 1;
  return (
    <g class="lines">
      {ticks.map((t, k) => (
        <g key={t.label + t.at}>
          <path d={`M${t.at} ${box.top}V${box.bottom}`} />
          {low > box.bottom ? (
            <text transform={`translate(${t.at + 4} ${box.bottom + 12}) rotate(-45)`} class="end">
              {k % every === 0 && labels[k]}
            </text>
          ) : (
            <text x={inside(t, box.width)} y={box.bottom + 16} class="mid">
              {labels[k]}
            </text>
          )}
        </g>
      ))}
      <path class="base" d={`M${box.left} ${box.bottom}H${box.right}`} />
      <text class="name end" x={box.right} y={low + 33}>
        {name}
      </text>
    </g>
  );
}

// inside keeps the label of an outermost tick from being cut off.
function inside(t: Tick, width: number): number {
  const half = 3.6 * Math.min(t.label.length, 14);
  return Math.min(Math.max(t.at, half), width - half);
}

export function YAxis({ box, ticks, name }: AxisProps) {
  return (
    <g class="lines">
      {ticks.map((t) => (
        <g key={t.label + t.at}>
          <path d={`M${box.left} ${t.at}H${box.right}`} />
          <text x={box.left - 7} y={t.at + 4} class="end">
            {cut(t.label, 11)}
          </text>
        </g>
      ))}
      <text class="name" x={2} y={box.top - 10}>
        {name}
      </text>
    </g>
  );
}

// path joins points; close makes an area of it.
export function path(points: [number, number][], close = false): string {
  if (points.length === 0) return "";
  return `M${points.map(([x, y]) => `${round(x)} ${round(y)}`).join("L")}${close ? "Z" : ""}`;
}

// stair joins points by steps: what was, stays until it changes. The last step reaches to the end. Steps that go one way, and are too small
// to be seen, are taken at once.
export function stair(points: [number, number][], end: number): string {
  const first = points[0];
  if (!first) return "";
  const steps = [`M${round(first[0])} ${round(first[1])}`];
  let [x, y] = first;
  let level = y; // that is reached at x
  const step = () => level !== y && steps.push(`H${round(x)}V${round((y = level))}`);
  for (const [px, py] of points) {
    if (px - x >= tiny) {
      step();
      x = px;
    }
    level = py;
  }
  step();
  return `${steps.join("")}H${round(end)}`;
}

const tiny = 0.4; // pixels

const round = (v: number): number => Math.round(v * 100) / 100;
