// Light, dark, or as the system has it.
import { signal } from "./signal";

export type Theme = "light" | "dark";

const system = typeof matchMedia === "undefined" ? null : matchMedia("(prefers-color-scheme: dark)");

const chosen = (): Theme | null => {
  const t = typeof document === "undefined" ? undefined : document.documentElement.dataset["theme"];
  return t === "light" || t === "dark" ? t : null;
};

const now = (): Theme => chosen() ?? (system?.matches ? "dark" : "light");

export const theme = signal<Theme>(now());

system?.addEventListener("change", () => theme.set(now()));

export function setTheme(t: Theme): void {
  document.documentElement.dataset["theme"] = t;
  try {
    localStorage.setItem("eke-theme", t);
  } catch {
    // no storage: until the page is left
  }
  theme.set(t);
}

// ink reads a colour of the theme, for canvases.
export const ink = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
