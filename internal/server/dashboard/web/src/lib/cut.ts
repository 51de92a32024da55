// Names that are too long for their place.

export const cut = (s: string, n: number): string => ([...s].length <= n ? s : `${[...s].slice(0, n - 1).join("")}…`);

const cutFront = (s: string, n: number): string => ([...s].length <= n ? s : `…${[...s].slice(1 - n).join("")}`);

// cuts cuts names of one kind, such as the values of a choice. Where their beginnings are the same, their ends are kept.
export function cuts(names: readonly string[], n: number): string[] {
  const [front, back] = [names.map((s) => cut(s, n)), names.map((s) => cutFront(s, n))];
  return new Set(back).size > new Set(front).size ? back : front;
}
