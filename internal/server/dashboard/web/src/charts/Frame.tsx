import type { ComponentChildren } from "preact";
import type { Tick } from "../lib/scale";
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
  most?: number;
  class?: string;
  testid?: string;
  role?: "img" | "group"; // a group: there is something inside to be worked with
  children: (width: number) => ComponentChildren;
}

// Frame is an SVG as wide as its place.
export function Frame({ label, height, least = 0, most = Infinity, class: name = "", testid, role = "img", children }: Props) {
  const [ref, room] = useWidth<HTMLDivElement>();
  const width = Math.min(Math.max(room, least), most);
  return (
    <div ref={ref} class="scroll" data-testid={testid}>
      {room > 0 && (
        <svg class={`chart ${name}`} role={role} aria-label={label} width={width} height={height} viewBox={`0 0 ${width} ${height}`}>
          {children(width)}
        </svg>
      )}
    </div>
  );
}

interface AxisProps {
  box: Box;
  ticks: Tick[];
  name: string;
}

export function XAxis({ box, ticks, name }: AxisProps) {
  return (
    <g class="lines">
      {ticks.map((t) => (
        <g key={t.label + t.at}>
          <path d={`M${t.at} ${box.top}V${box.bottom}`} />
          <text x={inside(t, box.width)} y={box.bottom + 16} class="mid">
            {cut(t.label, 14)}
          </text>
        </g>
      ))}
      <path class="base" d={`M${box.left} ${box.bottom}H${box.right}`} />
      <text class="name end" x={box.right} y={box.bottom + 33}>
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

export const cut = (s: string, n: number): string => ([...s].length <= n ? s : `${[...s].slice(0, n - 1).join("")}…`);

// path joins points; close makes an area of it.
export function path(points: [number, number][], close = false): string {
  if (points.length === 0) return "";
  return `M${points.map(([x, y]) => `${round(x)} ${round(y)}`).join("L")}${close ? "Z" : ""}`;
}

const round = (v: number): number => Math.round(v * 100) / 100;
