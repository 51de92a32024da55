// Light, dark, or as the system has it.
import { recall, remember } from "./stored";
import { signal } from "./signal";

export type Theme = "light" | "dark";

const system = typeof matchMedia === "undefined" ? null : matchMedia("(prefers-color-scheme: dark)");

let chosen = recall("theme") !== null;

// theme.js has set it before anything was drawn.
export const theme = signal<Theme>(typeof document !== "undefined" && document.documentElement.dataset["theme"] === "dark" ? "dark" : "light");

function show(t: Theme): void {
  document.documentElement.dataset["theme"] = t;
  theme.set(t);
}

system?.addEventListener("change", () => chosen || show(system.matches ? "dark" : "light"));

export function setTheme(t: Theme): void {
  chosen = true;
  remember("theme", t);
  show(t);
}

// ink reads a colour of the theme, for canvases.
export const ink = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
