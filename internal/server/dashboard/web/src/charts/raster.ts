// Where a pixel lies among the values of an axis: between which two, and how far.

export interface Between {
  k: number;
  next: number;
  part: number; // of the way from k to next
}

// locate finds places (ascending or descending) around each of n pixels that span from..to. Named values do not blend.
export function locate(places: number[], from: number, to: number, n: number, named: boolean): Between[] {
  const up = (places[places.length - 1] ?? 0) >= (places[0] ?? 0) ? 1 : -1;
  return Array.from({ length: n }, (_, i) => {
    const at = from + ((i + 0.5) / n) * (to - from);
    let k = 0;
    while (k < places.length - 2 && up * (places[k + 1] as number) <= up * at) k++;
    const next = Math.min(k + 1, places.length - 1);
    const [a, b] = [places[k] as number, places[next] as number];
    const part = a === b ? 0 : Math.min(Math.max((at - a) / (b - a), 0), 1);
    if (!named) return { k, next, part };
    const nearest = part < 0.5 ? k : next;
    return { k: nearest, next: nearest, part: 0 };
  });
}

// blend is the value of a grid between its rows and columns.
export function blend(grid: number[][], r: Between, c: Between): number {
  const at = (row: number, column: number) => grid[row]?.[column] ?? 0;
  const low = at(r.k, c.k) * (1 - c.part) + at(r.k, c.next) * c.part;
  const high = at(r.next, c.k) * (1 - c.part) + at(r.next, c.next) * c.part;
  return low * (1 - r.part) + high * r.part;
}

export const nearest = (b: Between): number => (b.part < 0.5 ? b.k : b.next);
