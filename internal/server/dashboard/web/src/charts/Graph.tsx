import type { ComponentChildren } from "preact";
import { useEffect, useId, useMemo, useState } from "preact/hooks";
import type { Cell } from "../lib/csv";
import { hovered } from "../lib/hovered";
import { between, dateTicks, newScale, type Scale, spot, ticks } from "../lib/scale";
import { Export } from "../parts/Export";
import { useWidth } from "../state/useWidth";
import { type Box, XAxis, YAxis } from "./Frame";
import { moved, nearer, shown, type Zoom, whole } from "./zoom";
import { type Spot, usePointer } from "./usePointer";

export interface AxisOf {
  name: string;
  range: readonly [number, number];
  least?: number; // the least positive number: the axis may be logarithmic
  log?: boolean; // and is at first
  clock?: boolean; // seconds, with the ticks of a clock
  whole?: boolean;
  dates?: boolean; // milliseconds since 1970
}

// View is where a graph draws.
export interface View {
  box: Box;
  x(v: number): number;
  y(v: number): number;
}

interface Props {
  label: string;
  testid: string;
  count?: number; // of what is drawn, for whoever cannot see it
  height: number;
  x: AxisOf;
  y: AxisOf | null; // null: there are no values
  lane?: number; // pixels below the values, for trials without one
  spots: () => readonly Spot[]; // what can be pointed at
  tip: (k: number) => string;
  by?: "x" | "both"; // how the nearest spot is found
  side?: { share: number; draw: (v: View, from: number, to: number) => ComponentChildren }; // a margin at the right with a scale of its own
  table: () => Cell[][];
  class?: string;
  children: (v: View) => ComponentChildren;
}

const scaleOf = (a: AxisOf | null, log: boolean): Scale =>
  a === null ? newScale([0, 1], false, 0) : { ...newScale(log ? [a.least ?? 1, a.range[1]] : a.range, log, log ? 0.04 : 0, 0, 1, a.whole), clock: a.clock };

function once<T>(work: () => T): () => T {
  let done: { is: T } | null = null;
  return () => (done ??= { is: work() }).is;
}

// Graph is a chart to work with: drag to zoom, Shift and drag to pan, the wheel where it has the focus, a click to open a trial.
export function Graph({ label, testid, count, height, x, y, lane = 0, spots, tip, by = "x", side, table, class: name = "", children }: Props) {
  const [room, width] = useWidth<HTMLDivElement>();
  const [zoom, setZoom] = useState<Zoom>(whole);
  const [log, setLog] = useState({ x: x.log === true, y: y?.log === true });
  const canLog = { x: x.least !== undefined, y: y?.least !== undefined };
  const all = { x: scaleOf(x, log.x && canLog.x), y: scaleOf(y, log.y && canLog.y) };
  const right = width - 14 - (side ? side.share * (width - 76) : 0);
  const box: Box = { left: y ? 62 : 14, right, top: 30, bottom: height - 44, width, height };
  const sx = between(shown(all.x, zoom.x), box.left, box.right);
  const sy = between(shown(all.y, zoom.y), box.bottom - lane, box.top);
  // Values far off are drawn at the edge, as long as all is shown.
  const [lo, hi] = y?.range ?? [0, 1];
  const view: View = { box, x: (v) => spot(sx, v), y: (v) => spot(sy, Math.min(Math.max(v, lo), hi)) };
  // Nobody points at a chart before it is there, so the places are worked out when they are asked for.
  const places = useMemo(() => once(() => spots().map((s) => ({ x: s.x, y: s.y, trial: s.trial, px: view.x(s.x), py: s.y === null ? box.bottom - lane / 2 : view.y(s.y) }))), [spots, zoom, log, width, height, lo, hi, x.range[0], x.range[1], side?.share]);
  const [onZoom, reset] = [(z: Zoom) => setZoom(z), () => setZoom(whole)];
  const pointer = usePointer({ box, places, tip, by, all, zoom, onZoom, reset });
  const clip = useId();
  const toggle = (axis: "x" | "y") => {
    setLog({ ...log, [axis]: !log[axis] });
    setZoom({ ...zoom, [axis]: null });
  };
  const key = (e: KeyboardEvent) => {
    const by = { ArrowLeft: -0.15, ArrowRight: 0.15, ArrowDown: -0.15, ArrowUp: 0.15 }[e.key];
    const factor = { "+": 0.7, "=": 0.7, "-": 1 / 0.7 }[e.key];
    if (e.target !== e.currentTarget || e.ctrlKey || e.metaKey || e.altKey) return;
    if (by !== undefined) setZoom(e.key === "ArrowLeft" || e.key === "ArrowRight" ? { ...zoom, x: moved(all.x, zoom.x, by) } : { ...zoom, y: moved(all.y, zoom.y, by) });
    else if (factor !== undefined) setZoom({ x: nearer(all.x, zoom.x, 0.5, factor), y: nearer(all.y, zoom.y, 0.5, factor) });
    else if (e.key === "0" || e.key === "Escape") reset();
    else return;
    e.preventDefault();
  };
  useEffect(() => () => hovered.set(null), []);
  const zoomed = zoom.x !== null || zoom.y !== null;
  const n = Math.max(2, Math.floor((box.right - box.left) / (x.clock || x.dates ? 92 : 66)));
  return (
    <div class="charted graph">
      <div class="tools">
        {(["x", "y"] as const).map(
          (a) =>
            canLog[a] && (
              <button type="button" key={a} aria-pressed={log[a]} onClick={() => toggle(a)} data-testid={`${testid}-log-${a}`}>
                log {a}
              </button>
            ),
        )}
        {zoomed && (
          <button type="button" onClick={reset} data-testid={`${testid}-reset`}>
            Show all
          </button>
        )}
        <Export name={testid} table={table} />
      </div>
      <div class="plot" ref={room} tabindex={0} role="group" aria-roledescription="chart" aria-label={`${label}. Plus and minus zoom, arrows move, 0 shows all`} onKeyDown={key} data-testid={testid} data-count={count} data-zoomed={zoomed}>
        {width > 0 && (
          <svg class={`chart ${name}`} width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
            <clipPath id={clip}>
              <rect x={box.left - (zoom.x ? 0 : 7)} y={box.top - 7} width={Math.max(0, box.right - box.left + (zoom.x ? 0 : 14))} height={Math.max(0, box.bottom - box.top + 14)} />
            </clipPath>
            {y && <YAxis box={box} ticks={ticks(sy, Math.max(2, Math.floor((box.bottom - box.top) / 46)))} name={y.name} />}
            <XAxis box={box} ticks={x.dates ? dateTicks(sx, n) : ticks(sx, n)} name={x.name} />
            {side && side.draw(view, box.right, width - 14)}
            <g clip-path={`url(#${clip})`}>{children(view)}</g>
            <rect class="pane" x={box.left} y={box.top} width={Math.max(0, box.right - box.left)} height={Math.max(0, box.bottom - box.top)} {...pointer.on} ref={pointer.pane} />
          </svg>
        )}
        <i class="ring" ref={pointer.ring} hidden />
        <i class="selecting" ref={pointer.selecting} hidden />
        <div class="plottip" ref={pointer.note} hidden />
      </div>
    </div>
  );
}
