// Addresses: / · /tokens · /compare?study=A&study=B · /new · /studies/NAME[/TAB][?trial=N], where TAB may be edit
import { signal } from "./signal";

export const tabs = ["overview", "trials", "models", "enter", "edit"] as const;
export type Tab = (typeof tabs)[number];

export type Route =
  | { page: "list" }
  | { page: "new" }
  | { page: "tokens" }
  | { page: "compare"; studies: string[] }
  | { page: "study"; name: string; tab: Tab; trial: number | null }
  | { page: "nowhere"; path: string };

const decode = (s: string): string => {
  try {
    return decodeURIComponent(s);
  } catch {
    return s;
  }
};

export function parse(path: string, search: string): Route {
  const [first, name, tab, more] = path.split("/").filter((s) => s !== "");
  const query = new URLSearchParams(search);
  if (first === undefined) return { page: "list" };
  if (first === "new" && name === undefined) return { page: "new" };
  if (first === "tokens" && name === undefined) return { page: "tokens" };
  if (first === "compare" && name === undefined) return { page: "compare", studies: query.getAll("study") };
  if (first === "studies" && name === undefined) return { page: "list" };
  if (first === "studies" && name !== undefined && more === undefined) {
    const known = tabs.find((t) => t === (tab ?? "overview"));
    const trial = /^\d+$/.test(query.get("trial") ?? "") ? Number(query.get("trial")) : null;
    if (known) return { page: "study", name: decode(name), tab: known, trial };
  }
  return { page: "nowhere", path };
}

export const studyPath = (name: string, tab: Tab = "overview", trial: number | null = null): string =>
  `/studies/${encodeURIComponent(name)}${tab === "overview" ? "" : `/${tab}`}${trial === null ? "" : `?trial=${trial}`}`;

export const comparePath = (names: string[]): string => `/compare?${names.map((n) => `study=${encodeURIComponent(n)}`).join("&")}`;

const current = (): Route => (typeof location === "undefined" ? { page: "list" } : parse(location.pathname, location.search));

export const route = signal<Route>(current());

// go changes the address. keep: the page stays where it is scrolled to.
export function go(path: string, how: { replace?: boolean; keep?: boolean } = {}): void {
  if (how.replace) history.replaceState(null, "", path);
  else history.pushState(null, "", path);
  route.set(current());
  if (!how.keep) window.scrollTo(0, 0);
}

export function listen(): void {
  window.addEventListener("popstate", () => route.set(current()));
}
