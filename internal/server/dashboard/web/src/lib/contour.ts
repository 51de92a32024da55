// Lines along which a function that is known on a grid has one value (marching squares).

export type Point = readonly [x: number, y: number];

export interface Grid {
  xs: readonly number[]; // where the columns are
  ys: readonly number[]; // where the rows are
  value: (row: number, column: number) => number | null; // null: there is none
}

// contour joins the points at which the sides of the grid's squares cross a level. A line ends at the edge of the grid, where values are
// missing, or where it began.
export function contour({ xs, ys, value }: Grid, level: number): Point[][] {
  const points = new Map<number, Point>();
  const joined = new Map<number, number[]>(); // the crossings beside each crossing
  const join = (a: number, b: number) => {
    for (const [one, other] of [[a, b], [b, a]] as const) joined.set(one, [...(joined.get(one) ?? []), other]);
  };
  for (let r = 0; r + 1 < ys.length; r++) {
    for (let c = 0; c + 1 < xs.length; c++) {
      // The corners, around the square. A side begins at each, and two squares know it by the same number.
      const corners = [[r, c], [r, c + 1], [r + 1, c + 1], [r + 1, c]].map(([row = 0, column = 0]) => ({ x: xs[column] ?? 0, y: ys[row] ?? 0, v: value(row, column) ?? NaN }));
      if (corners.some((k) => !Number.isFinite(k.v))) continue;
      const side = (k: number) => 2 * ((k === 2 ? r + 1 : r) * xs.length + (k === 1 ? c + 1 : c)) + (k % 2);
      const crossed = corners.flatMap((from, k) => {
        const to = corners[(k + 1) % 4] ?? from;
        if (from.v >= level === to.v >= level) return [];
        const part = (level - from.v) / (to.v - from.v);
        points.set(side(k), [from.x + part * (to.x - from.x), from.y + part * (to.y - from.y)]);
        return [k];
      });
      const [a = 0, b = 0] = crossed;
      if (crossed.length === 2) join(side(a), side(b));
      if (crossed.length < 4) continue;
      // At a saddle the middle decides which corners belong together.
      const middle = corners.reduce((sum, k) => sum + k.v / 4, 0);
      const turn = middle >= level === (corners[0]?.v ?? 0) >= level ? 0 : 3;
      join(side(turn), side((turn + 1) % 4));
      join(side((turn + 2) % 4), side((turn + 3) % 4));
    }
  }
  return lines(points, joined);
}

// lines follows the joined crossings: first from ends, then around what has none.
function lines(points: Map<number, Point>, joined: Map<number, number[]>): Point[][] {
  const seen = new Set<number>();
  const follow = (from: number): Point[] => {
    const line: number[] = [];
    for (let at: number | undefined = from; at !== undefined; at = joined.get(at)?.find((n) => !seen.has(n))) {
      seen.add(at);
      line.push(at);
    }
    if (line.length > 2 && joined.get(from)?.includes(line[line.length - 1] ?? -1)) line.push(from);
    return line.map((n) => points.get(n) ?? [0, 0]);
  };
  const begins = [...joined].sort(([, a], [, b]) => a.length - b.length);
  return begins.flatMap(([k]) => (seen.has(k) ? [] : [follow(k)]));
}

export interface Label {
  x: number;
  y: number;
  turn: number; // degrees
}

// labelAt is a place for a label of some width: where the line is as straight as it gets, and no other label is. Null: there is none.
export function labelAt(line: Point[], width: number, taken: readonly Label[]): Label | null {
  let best: (Label & { straight: number }) | null = null;
  for (let i = 0, j = 0; i < line.length; i++) {
    const from = line[i] as Point;
    let long = 0;
    for (j = i; j + 1 < line.length && long < width; j++) long += apart(line[j] as Point, line[j + 1] as Point);
    if (long < width) break;
    const to = line[j] as Point;
    const [x, y] = [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2];
    const straight = apart(from, to) / long - 0.1 * Math.abs((i + j) / line.length - 1); // rather in the middle than at an end
    if ((best && straight <= best.straight) || taken.some((t) => apart([t.x, t.y], [x, y]) < 1.4 * width)) continue;
    const turn = (Math.atan2(to[1] - from[1], to[0] - from[0]) * 180) / Math.PI;
    best = { x, y, turn: turn > 90 ? turn - 180 : turn < -90 ? turn + 180 : turn, straight };
  }
  return best && best.straight > 0.8 ? { x: best.x, y: best.y, turn: best.turn } : null;
}

const apart = (a: Point, b: Point): number => Math.hypot(a[0] - b[0], a[1] - b[1]);
