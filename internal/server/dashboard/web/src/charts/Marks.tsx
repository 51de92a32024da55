import type { Mark } from "../lib/course";
import type { View } from "./Graph";

export interface Marked {
  mark: Mark;
  x: number;
  y: number | null; // null: in the lane below the values
}

const crowd = 300;
const cell = 2; // pixels of a crowd that show one mark of a kind
const order: Mark[] = ["beyond", "abandoned", "stopped early", "cut", "failed", "done", "observed", "leading", "better", "best"]; // what does not count lies under what does
const round = (v: number): number => Math.round(v * 10) / 10;

// shape is the outline of a mark. A crowd's are squares on whole pixels, which are quicker to draw.
function shape(mark: Mark, x: number, y: number, r: number, many: boolean): string {
  const [l, t, d] = [round(x - r), round(y - r), round(2 * r)];
  if (mark === "failed") return `M${l} ${t}l${d} ${d}M${l} ${round(y + r)}l${d} ${-d}`;
  if (many) return `M${Math.round(x) - 2} ${Math.round(y) - 2}h3v3h-3z`;
  if (mark === "cut" || mark === "stopped early" || mark === "abandoned") return `M${l} ${t}h${d}v${d}h${-d}z`;
  return `M${l} ${round(y)}a${r} ${r} 0 1 0 ${d} 0a${r} ${r} 0 1 0 ${-d} 0z`;
}

// Marks draws trials. All of a kind are one path, so that twenty thousand are drawn at once; those that stand out come last, on top.
export function Marks<T>({ view: v, list, of, lane }: { view: View; list: readonly T[]; of: (t: T) => Marked; lane: number }) {
  const many = list.length > crowd;
  const paths = new Map<Mark, string[]>();
  const row = Math.ceil(v.box.width / cell) + 1;
  const taken = new Map<Mark, Uint8Array>(); // cells that have a mark
  for (const t of list) {
    const m = of(t);
    const out = m.mark === "better" || m.mark === "best" || m.mark === "leading";
    const x = v.x(m.x);
    const y = m.y === null ? v.box.bottom - lane / 2 : v.y(m.y);
    if (x < v.box.left - 9 || x > v.box.right + 9 || y < v.box.top - 9 || y > v.box.bottom + 9) continue;
    if (many && !out) {
      const at = Math.round(y / cell) * row + Math.round(x / cell);
      let cells = taken.get(m.mark);
      if (!cells) taken.set(m.mark, (cells = new Uint8Array(row * Math.ceil(v.box.height / cell + 9))));
      if (cells[at]) continue;
      cells[at] = 1;
    }
    const d = shape(m.mark, x, y, out ? 4.6 : 3.6, many && !out);
    const drawn = paths.get(m.mark);
    if (drawn) drawn.push(d);
    else paths.set(m.mark, [d]);
  }
  return (
    <g class={many ? "marks many" : "marks"}>
      {order.map((k) => paths.has(k) && <path key={k} class={`m ${k === "leading" || k === "best" ? "better" : k === "observed" ? "done" : k}`} d={paths.get(k)?.join("")} />)}
    </g>
  );
}
