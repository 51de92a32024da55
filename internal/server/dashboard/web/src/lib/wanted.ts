// Which studies are listed, as a part of the address: whoever comes back to the list, or is sent its address, sees the same.

export const states = ["active", "finished", "paused", "ended", "archived", "damaged"] as const;
export const sorts = ["created", "changed", "name", "spent", "left", "trials"] as const;

// Wanted is which studies to list.
export interface Wanted {
  search: string;
  tag: string;
  state: "" | (typeof states)[number];
  sort: (typeof sorts)[number];
  down: boolean;
  skip: number;
  limit: number;
}

export const perPage = 25;
export const usual: Wanted = { search: "", tag: "", state: "", sort: "created", down: true, skip: 0, limit: perPage };

// wantedOf reads an address. What it does not say, or says wrongly, is as usual.
export function wantedOf(query: string): Wanted {
  const q = new URLSearchParams(query);
  const skip = Number(q.get("skip"));
  const sort = sorts.find((s) => s === q.get("sort")) ?? usual.sort;
  return {
    ...usual,
    search: q.get("search") ?? "",
    tag: q.get("tag") ?? "",
    state: states.find((s) => s === q.get("state")) ?? "",
    sort,
    down: q.has("down") ? q.get("down") === "true" : sort !== "name",
    skip: Number.isInteger(skip) && skip > 0 ? skip : 0,
  };
}

// listPath is the address of a list. What is as usual is left out.
export function listPath(w: Wanted): string {
  const base: Wanted = { ...usual, sort: w.sort, down: w.sort !== "name" };
  const said = (Object.keys(usual) as (keyof Wanted)[]).filter((k) => (k === "sort" ? w.sort !== usual.sort : w[k] !== base[k]));
  return said.length === 0 ? "/" : `/?${new URLSearchParams(said.map((k) => [k, String(w[k])]))}`;
}
