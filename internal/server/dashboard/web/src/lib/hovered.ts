// The trial under the pointer. All charts and tables of a page mark it.
import { signal } from "./signal";

export const hovered = signal<number | null>(null);
