// Two fingers on a graph: what is under them stays under them. Fingers that lie beside each other zoom along that axis only.
import { useRef } from "preact/hooks";
import type { Scale } from "../lib/scale";
import { moved, nearer, type Zoom } from "./zoom";

interface Point {
  x: number;
  y: number;
}

interface Config {
  all: { x: Scale; y: Scale };
  zoom: Zoom;
  onZoom: (z: Zoom) => void;
  parts: (p: Point) => Point; // where a place of the graph is, from 0 to 1 in both directions
}

const apart = 24; // pixels between fingers that mean an axis
const most = 20; // times that one pinch may zoom

// factor is how much smaller the window becomes.
const factor = (before: number, now: number): number => (before < apart ? 1 : Math.min(Math.max(before / Math.max(now, 1), 1 / most), most));

export function usePinch(config: () => Config) {
  const fingers = useRef(new Map<number, Point>());
  const begun = useRef<{ a: Point; b: Point; zoom: Zoom } | null>(null);
  const two = () => [...fingers.current.values()] as [Point, Point];
  return {
    down: (id: number, p: Point) => {
      fingers.current.set(id, p);
      const [a, b] = two();
      begun.current = fingers.current.size === 2 ? { a, b, zoom: config().zoom } : null;
    },
    // move says whether the finger was one of two.
    move: (id: number, p: Point): boolean => {
      if (!fingers.current.has(id)) return false;
      fingers.current.set(id, p);
      const f = begun.current;
      if (!f) return false;
      const { all, onZoom, parts } = config();
      const [a, b] = two();
      const [was, is] = [parts({ x: (f.a.x + f.b.x) / 2, y: (f.a.y + f.b.y) / 2 }), parts({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 })];
      const axis = (k: "x" | "y") => moved(all[k], nearer(all[k], f.zoom[k], was[k], factor(Math.abs(f.a[k] - f.b[k]), Math.abs(a[k] - b[k]))), was[k] - is[k]);
      onZoom({ x: axis("x"), y: axis("y") });
      return true;
    },
    up: (id: number) => {
      fingers.current.delete(id);
      begun.current = null;
    },
  };
}
