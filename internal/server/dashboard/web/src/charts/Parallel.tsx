import { useMemo, useRef, useState } from "preact/hooks";
import type { Definition, Trial } from "../api/types";
import { shownRange } from "../lib/course";
import type { Cell } from "../lib/csv";
import { amount, counts, number, plural } from "../lib/format";
import { newScale, ofMoney, paramScale, place, type Tick, ticks, wide } from "../lib/scale";
import { cuts } from "../lib/cut";
import { Frame, path } from "./Frame";

// Brushes are stretches of axes, as parts from the bottom (0) to the top (1).
export type Brushes = Readonly<Record<string, readonly [number, number]>>;

interface Upright {
  key: string;
  name: string;
  place: (t: Trial) => number | null; // from 0, the bottom, to 1
  marks: Tick[];
  maybe: boolean; // not every trial has it
}

const most = 600;
const shades = 7;
const [bottom, absent] = [350, 378];
const [letters, letter] = [13, 6.8]; // of a label, and the pixels of each
const right = 92; // beside the last axis, whose name must not lie under the buttons
const roomy = 12; // axes that have room for their labels beside each other

export function uprights(d: Definition, trials: Trial[]): Upright[] {
  const list: Upright[] = d.parameters
    .filter((p) => p.type !== "fixed")
    .map((p) => {
      const s = paramScale(p, 0, 1);
      const marks = s.marks(s.named ? 24 : 5);
      const labels = cuts(marks.map((m) => m.label), letters);
      return { key: `p.${p.name}`, name: p.name, place: (t) => s.place(t.setting[p.name]), marks: marks.map((m, k) => ({ at: m.at, label: labels[k] ?? "" })), maybe: (p.when?.length ?? 0) > 0 };
    });
  const costs = trials.map((t) => t.charged ?? 0);
  const cost = ofMoney(newScale(costs, wide(costs), 0), d.cost);
  const value = newScale(shownRange(trials.map((t) => t.value ?? 0), d.objective.goal), false, 0);
  list.push({ key: "cost", name: "cost", place: (t) => place(cost, t.charged ?? 0), marks: ticks(cost, 5), maybe: false });
  list.push({ key: "value", name: d.objective.name, place: (t) => place(value, t.value ?? 0), marks: ticks(value, 5), maybe: false });
  return list;
}

// brushed says which trials are within all brushes.
export function brushed(ups: Upright[], brushes: Brushes): (t: Trial) => boolean {
  const active = ups.flatMap((u) => (brushes[u.key] ? [{ u, b: brushes[u.key] as readonly [number, number] }] : []));
  return (t) =>
    active.every(({ u, b }) => {
      const at = u.place(t);
      return at !== null && at >= b[0] - 1e-9 && at <= b[1] + 1e-9;
    });
}

// drawingOrder puts the best last, on top, and leaves out some where there are too many.
function drawingOrder(d: Definition, trials: Trial[]): Trial[] {
  const sign = d.objective.goal === "minimize" ? -1 : 1;
  const list = [...trials].sort((a, b) => sign * ((a.value ?? 0) - (b.value ?? 0)));
  if (list.length <= most) return list;
  const split = list.length - most / 2;
  const some = Array.from({ length: most / 2 }, (_, i) => list[Math.floor((i * split) / (most / 2))] as Trial);
  return [...some, ...list.slice(split)];
}

interface Props {
  definition: Definition;
  trials: Trial[];
  best: number | null;
  brushes: Brushes;
  onBrush: (b: Brushes) => void;
  selected: number | null;
}

// Parallel draws every trial as a line through its parameters, cost and value; axes can be brushed.
export function Parallel({ definition: d, trials, best, brushes, onBrush, selected }: Props) {
  const counting = useMemo(() => trials.filter(counts), [trials]);
  const ups = useMemo(() => uprights(d, counting), [d, counting]);
  const order = useMemo(() => drawingOrder(d, counting), [d, counting]);
  const inside = useMemo(() => brushed(ups, brushes), [ups, brushes]);
  const any = Object.keys(brushes).length > 0;
  const tight = ups.length > roomy;
  const top = tight ? 96 : 40;
  const left = tight ? 70 : Math.max(70, 16 + letter * Math.max(0, ...(ups[0]?.marks ?? []).map((m) => m.label.length)));
  const height = ups.some((u) => u.maybe) ? absent + 24 : bottom + 16;
  const set = (key: string, b: readonly [number, number] | null) => {
    const { [key]: _, ...rest } = brushes;
    onBrush(b === null ? rest : { ...rest, [key]: b });
  };
  return (
    <>
      <Frame role="group" label="every trial as a line through its parameters, cost and value" height={height} least={left + right + (tight ? 15 : 96) * (ups.length - 1)} class={`${order.length > 300 ? "crowd" : ""}${tight ? " tight" : ""}`} testid="parallel" table={() => table(d, counting)}>
        {(width) => {
          const room = (width - left - right) / Math.max(1, ups.length - 1);
          const x = (i: number) => left + i * room;
          const names = cuts(ups.map((u) => u.name), tight ? 13 : Math.max(8, Math.floor(room / 7.5)));
          const line = (t: Trial) => path(ups.map((u, i) => [x(i), ((at) => (at === null ? absent : bottom - at * (bottom - top)))(u.place(t))]));
          return (
            <>
              <g class="rays">
                {order.map((t, rank) => {
                  const shade = t.number === best ? "qbest" : `q${Math.floor((rank * shades) / order.length)}`;
                  const name = `ray ${shade}${any && !inside(t) ? " out" : ""}${t.number === selected ? " chosen" : ""}`;
                  return <path key={t.number} data-trial={t.number} class={name} d={line(t)} data-tip={`trial ${t.number}: ${d.objective.name} ${number(t.value ?? 0)} for ${amount(d.cost, t.charged ?? 0)}`} />;
                })}
              </g>
              {ups.map((u, i) => (
                <Pillar key={u.key} up={u} name={names[i] ?? u.name} top={top} tight={tight} x={x(i)} brush={brushes[u.key] ?? null} room={room} onBrush={(b) => set(u.key, b)} />
              ))}
            </>
          );
        }}
      </Frame>
      <p class="faint small" role="status" data-testid="brush-count">
        {any ? (
          <>
            {plural(counting.filter(inside).length, "trial")} of {counting.length} within the brushes.{" "}
            <button type="button" onClick={() => onBrush({})} data-testid="brush-clear">
              Clear brushes
            </button>
          </>
        ) : (
          <>Drag along an axis to select trials here and in the table. With the keyboard, arrows move the brush, Shift and arrows stretch it, and Escape clears it.</>
        )}
      </p>
    </>
  );
}

const table = (d: Definition, trials: Trial[]): Cell[][] => [
  ["trial", ...d.parameters.map((p) => p.name), `cost, ${d.cost.unit}`, d.objective.name],
  ...trials.map((t) => [t.number, ...d.parameters.map((p) => t.setting[p.name]), t.charged ?? 0, t.value]),
];

interface PillarProps {
  up: Upright;
  name: string; // as far as there is room for it
  top: number;
  tight: boolean; // no room for labels, which are then shown of the axis that is pointed at
  x: number;
  room: number;
  brush: readonly [number, number] | null;
  onBrush: (b: readonly [number, number] | null) => void;
}

function Pillar({ up, name, top, tight, x, room, brush, onBrush }: PillarProps) {
  const from = useRef<number | null>(null);
  const [, draw] = useState(0);
  const y = (part: number) => bottom - part * (bottom - top);
  const partAt = (e: PointerEvent): number => {
    const svg = (e.currentTarget as SVGElement).ownerSVGElement;
    const at = e.clientY - (svg?.getBoundingClientRect().top ?? 0);
    return Math.min(Math.max((bottom - at) / (bottom - top), 0), 1);
  };
  const down = (e: PointerEvent) => {
    if (e.button !== 0) return;
    from.current = partAt(e);
    (e.currentTarget as SVGElement).setPointerCapture(e.pointerId);
    draw((n) => n + 1);
  };
  const move = (e: PointerEvent) => {
    if (from.current === null) return;
    const to = partAt(e);
    if (Math.abs(to - from.current) > 0.01) onBrush([Math.min(from.current, to), Math.max(from.current, to)]);
  };
  const upward = (e: PointerEvent) => {
    if (from.current !== null && Math.abs(partAt(e) - from.current) <= 0.01) onBrush(null);
    from.current = null;
  };
  const key = (e: KeyboardEvent) => {
    const step = { ArrowUp: 0.05, ArrowDown: -0.05 }[e.key];
    if (e.key === "Escape" && brush) onBrush(null);
    else if (step === undefined) return;
    else if (!brush) onBrush(step > 0 ? [0.5, 1] : [0, 0.5]);
    else {
      const [lo, hi] = brush;
      if (e.shiftKey) onBrush([lo, Math.min(1, Math.max(lo + 0.02, hi + step))]);
      else {
        const by = Math.min(Math.max(step, -lo), 1 - hi);
        onBrush([lo + by, hi + by]);
      }
    }
    e.preventDefault();
  };
  const words = brush ? `from ${Math.round(brush[0] * 100)} to ${Math.round(brush[1] * 100)} percent` : "no brush";
  return (
    <g class="pillar" role="slider" tabindex={0} aria-label={`brush ${up.name}`} aria-orientation="vertical" aria-valuemin={0} aria-valuemax={100} aria-valuenow={Math.round((brush?.[0] ?? 0) * 100)} aria-valuetext={words} onKeyDown={key} data-testid={`brush-${up.key}`}>
      <path class="base" d={`M${x} ${top}V${bottom}`} />
      {brush && <rect class="brush" x={x - 9} width={18} y={y(brush[1])} height={Math.max(2, y(brush[0]) - y(brush[1]))} rx="3" />}
      <rect class="grip" x={x - Math.min(16, room / 2)} y={top - 8} width={Math.min(32, room)} height={bottom - top + 16} onPointerDown={down} onPointerMove={move} onPointerUp={upward} onLostPointerCapture={() => (from.current = null)} />
      {tight ? (
        <text class="name" transform={`translate(${x + 4} ${top - 12}) rotate(-60)`}>
          {name}
        </text>
      ) : (
        <text class="name mid" x={x} y={top - 18}>
          {name}
        </text>
      )}
      {up.marks.map((m) => (
        <g key={m.at} class="mark">
          <path class="base" d={`M${x - 4} ${y(m.at)}H${x}`} />
          <text class="end halo" x={x - 7} y={y(m.at) + 3.5}>
            {m.label}
          </text>
        </g>
      ))}
      {up.maybe && (
        <text class="mid halo" x={x} y={absent + 18}>
          not used
        </text>
      )}
    </g>
  );
}
