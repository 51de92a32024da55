import { useEffect } from "preact/hooks";
import { hovered } from "../lib/hovered";
import { go, route, studyPath } from "../lib/router";

// openTrial shows a trial of the study that is open.
export function openTrial(number: number): void {
  const at = route.get();
  if (at.page === "study") go(studyPath(at.name, "trials", number), { keep: at.tab === "trials" });
}

// Lit marks everything that is drawn for the trial under the pointer, and opens the trial whose mark in a chart is clicked.
export function Lit() {
  useEffect(() => {
    let lit: Element[] = [];
    const numberAt = (e: Event, within: string) => {
      const text = e.target instanceof Element ? e.target.closest(`${within}[data-trial]`)?.getAttribute("data-trial") : null;
      return text ? Number(text) : null;
    };
    const over = (e: Event) => {
      if (!(e.target instanceof Element && e.target.closest(".graph"))) hovered.set(numberAt(e, "")); // graphs look for the nearest themselves
    };
    const click = (e: Event) => {
      const n = numberAt(e, "svg ");
      if (n !== null) openTrial(n);
    };
    const show = () => {
      for (const e of lit) e.classList.remove("lit");
      const n = hovered.get();
      lit = n === null ? [] : [...document.querySelectorAll(`[data-trial="${n}"]`)];
      for (const e of lit) e.classList.add("lit");
    };
    document.addEventListener("pointerover", over);
    document.addEventListener("click", click);
    const stop = hovered.watch(show);
    return () => {
      document.removeEventListener("pointerover", over);
      document.removeEventListener("click", click);
      stop();
    };
  }, []);
  return null;
}
