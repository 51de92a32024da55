// How trials are marked, on canvases and in keys.
import type { Mark } from "../lib/course";
import { ink } from "../lib/theme";

export interface MarkInk {
  better: string;
  done: string;
  beyond: string;
  bad: string;
  soft: string;
  card: string;
}

export const markInk = (): MarkInk => ({ better: ink("value"), done: ink("q4"), beyond: ink("cost"), bad: ink("bad"), soft: ink("soft"), card: ink("card") });

export function drawMark(c: CanvasRenderingContext2D, mark: Mark, x: number, y: number, r: number, k: MarkInk, px: number): void {
  c.beginPath();
  c.lineWidth = 1.8 * px;
  switch (mark) {
    case "better":
    case "leading":
    case "observed":
    case "done":
      c.arc(x, y, r, 0, 2 * Math.PI);
      c.fillStyle = mark === "better" || mark === "leading" ? k.better : k.done;
      c.fill();
      c.lineWidth = px;
      c.strokeStyle = k.card;
      c.stroke();
      break;
    case "beyond":
      c.arc(x, y, r, 0, 2 * Math.PI);
      c.fillStyle = k.card;
      c.fill();
      c.strokeStyle = k.beyond;
      c.stroke();
      break;
    case "failed":
      c.moveTo(x - r, y - r);
      c.lineTo(x + r, y + r);
      c.moveTo(x - r, y + r);
      c.lineTo(x + r, y - r);
      c.strokeStyle = k.bad;
      c.stroke();
      break;
    case "cut":
      c.rect(x - r, y - r, 2 * r, 2 * r);
      c.fillStyle = k.bad;
      c.fill();
      break;
    case "abandoned":
      c.rect(x - r, y - r, 2 * r, 2 * r);
      c.strokeStyle = k.soft;
      c.stroke();
  }
}
