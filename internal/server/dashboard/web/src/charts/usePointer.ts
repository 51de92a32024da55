// What a pointer does on a graph: it reads, opens, zooms and pans.
import { useEffect, useRef } from "preact/hooks";
import { hovered } from "../lib/hovered";
import type { Scale } from "../lib/scale";
import { openTrial } from "../parts/Lit";
import type { Box } from "./Frame";
import { usePinch } from "./usePinch";
import { between, moved, nearer, type Zoom } from "./zoom";

// Spot is something that can be pointed at.
export interface Spot {
  x: number;
  y: number | null; // null: in the lane below the values
  trial?: number | undefined;
}

type Placed = Spot & { px: number; py: number };

interface Config {
  box: Box;
  places: () => readonly Placed[];
  tip: (k: number) => string;
  by: "x" | "both";
  all: { x: Scale; y: Scale };
  zoom: Zoom;
  onZoom: (z: Zoom) => void;
  reset: () => void;
}

const still = 4; // pixels that a click may move
const reach = 16; // pixels from a mark within which a click means it

function nearest(places: readonly Placed[], x: number, y: number, by: "x" | "both", box: Box): number {
  let [best, least] = [-1, Infinity];
  for (const [k, p] of places.entries()) {
    if (p.px < box.left - 1 || p.px > box.right + 1) continue;
    const far = (p.px - x) ** 2 + (by === "both" ? (p.py - y) ** 2 : 1e-6 * (p.py - y) ** 2);
    if (far < least) [best, least] = [k, far];
  }
  return best;
}

export function usePointer(config: Config) {
  const now = useRef(config);
  now.current = config;
  const pane = useRef<SVGRectElement>(null);
  const note = useRef<HTMLDivElement>(null);
  const ring = useRef<HTMLElement>(null);
  const selecting = useRef<HTMLElement>(null);
  const from = useRef<{ x: number; y: number; pan: boolean; zoom: Zoom } | null>(null);
  const fingers = usePinch(() => ({ ...now.current, parts }));

  const at = (e: MouseEvent) => {
    const r = pane.current?.ownerSVGElement?.getBoundingClientRect();
    return { x: e.clientX - (r?.x ?? 0), y: e.clientY - (r?.y ?? 0) };
  };
  const parts = (p: { x: number; y: number }) => {
    const b = now.current.box;
    return { x: (p.x - b.left) / (b.right - b.left), y: (b.bottom - p.y) / (b.bottom - b.top) };
  };

  // mark rings the trial that is pointed at, here or in another chart.
  const mark = () => {
    const el = ring.current;
    const { box, places } = now.current;
    const n = hovered.get();
    const p = n === null ? undefined : places().find((q) => q.trial === n);
    if (!el) return;
    el.hidden = !p || p.px < box.left - 1 || p.px > box.right + 1 || p.py < box.top - 8 || p.py > box.bottom + 1;
    if (p && !el.hidden) el.style.transform = `translate(${p.px - 8}px, ${p.py - 8}px)`;
  };
  useEffect(() => hovered.watch(mark), []);
  useEffect(mark, [config.places]);

  const say = (k: number, p: { x: number; y: number }) => {
    const el = note.current;
    const text = k < 0 ? "" : now.current.tip(k);
    hovered.set(k < 0 ? null : (now.current.places()[k]?.trial ?? null));
    if (!el) return;
    el.hidden = text === "";
    el.textContent = text;
    if (text === "") return;
    el.style.left = `${Math.max(0, p.x + el.offsetWidth + 16 > now.current.box.width ? p.x - el.offsetWidth - 12 : p.x + 12)}px`;
    el.style.top = `${Math.max(0, p.y - el.offsetHeight - 8)}px`;
  };

  const move = (e: PointerEvent) => {
    const p = at(e);
    const f = from.current;
    const { all, box, places, by, onZoom } = now.current;
    if (fingers.move(e.pointerId, p)) return say(-1, p);
    if (!f) return say(nearest(places(), p.x, p.y, by, box), p);
    if (f.pan) {
      const [a, b] = [parts(f), parts(p)];
      return onZoom({ x: moved(all.x, f.zoom.x, a.x - b.x), y: moved(all.y, f.zoom.y, a.y - b.y) });
    }
    const el = selecting.current;
    if (!el || Math.hypot(p.x - f.x, p.y - f.y) <= still) return;
    const [a, b] = corners(f, p, box);
    el.hidden = false;
    el.style.transform = `translate(${a.x}px, ${a.y}px)`;
    el.style.width = `${b.x - a.x}px`;
    el.style.height = `${b.y - a.y}px`;
  };

  const down = (e: PointerEvent) => {
    const p = at(e);
    if (e.pointerType === "touch") return fingers.down(e.pointerId, p);
    if (e.button !== 0) return;
    from.current = { ...p, pan: e.shiftKey, zoom: now.current.zoom };
    pane.current?.setPointerCapture(e.pointerId);
  };

  const up = (e: PointerEvent) => {
    const f = from.current;
    const p = at(e);
    if (e.pointerType === "touch") return fingers.up(e.pointerId);
    from.current = null;
    if (selecting.current) selecting.current.hidden = true;
    const { all, box, zoom, onZoom, places } = now.current;
    if (!f || f.pan) return;
    if (Math.hypot(p.x - f.x, p.y - f.y) <= still) {
      const k = nearest(places(), p.x, p.y, "both", box);
      const q = places()[k];
      if (q?.trial !== undefined && Math.hypot(q.px - p.x, q.py - p.y) <= reach) openTrial(q.trial);
      return;
    }
    const [a, b] = corners(f, p, box).map(parts) as [{ x: number; y: number }, { x: number; y: number }];
    onZoom({ x: between(all.x, zoom.x, a.x, b.x), y: between(all.y, zoom.y, a.y, b.y) });
  };

  // The wheel scrolls the page, unless the graph has the focus or Ctrl is held, as a touchpad does for a pinch.
  useEffect(() => {
    const plot = pane.current?.closest<HTMLElement>(".plot");
    if (!plot) return;
    const wheel = (e: WheelEvent) => {
      if (!(e.target instanceof Element && e.target.matches(".pane")) || !(e.ctrlKey || plot.contains(document.activeElement))) return;
      e.preventDefault();
      const { all, zoom, onZoom } = now.current;
      const p = parts(at(e));
      const factor = Math.exp(Math.min(Math.max(e.deltaY, -200), 200) / 400);
      onZoom({ x: nearer(all.x, zoom.x, p.x, factor), y: nearer(all.y, zoom.y, p.y, factor) });
    };
    // A browser that would scroll or zoom the page with two fingers takes the pointers away.
    const pinch = (e: TouchEvent) => e.touches.length > 1 && e.preventDefault();
    plot.addEventListener("wheel", wheel, { passive: false });
    plot.addEventListener("touchmove", pinch, { passive: false });
    return () => {
      plot.removeEventListener("wheel", wheel);
      plot.removeEventListener("touchmove", pinch);
    };
  }, [config.box.width > 0]);

  const leave = () => !from.current && say(-1, { x: 0, y: 0 });
  return { pane, note, ring, selecting, on: { onPointerMove: move, onPointerDown: down, onPointerUp: up, onPointerCancel: up, onPointerLeave: leave, onDblClick: () => now.current.reset() } };
}

// corners are the upper left and the lower right one. A drag that hardly goes up or down, or sideways, keeps that axis.
function corners(a: { x: number; y: number }, b: { x: number; y: number }, box: Box) {
  const [flat, steep] = [Math.abs(a.y - b.y) < 12, Math.abs(a.x - b.x) < 12];
  return [
    { x: steep ? box.left : Math.max(Math.min(a.x, b.x), box.left), y: flat ? box.top : Math.max(Math.min(a.y, b.y), box.top) },
    { x: steep ? box.right : Math.min(Math.max(a.x, b.x), box.right), y: flat ? box.bottom : Math.min(Math.max(a.y, b.y), box.bottom) },
  ] as const;
}
