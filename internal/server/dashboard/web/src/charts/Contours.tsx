import { contour, type Grid, type Label, labelAt, type Point } from "../lib/contour";
import type { Box } from "./Frame";
import { path } from "./Frame";

export interface Level {
  value: number;
  label: string;
}

const [most, letter, room] = [2, 6.4, 14]; // labels on a level; pixels of a letter, and around a label

// Contours are the lines of equal values over a map, each with its value where there is room.
export function Contours({ grid, levels, box }: { grid: Grid; levels: Level[]; box: Box }) {
  const labels: (Label & { text: string })[] = [];
  const drawn = levels.map(({ value, label: text }) => {
    const lines = contour(grid, value).map((l) => l.map(([x, y]): [number, number] => [x, y]));
    const width = letter * text.length + room;
    const inner = (p: Point) => p[0] > box.left + room && p[0] < box.right - room && p[1] > box.top + room && p[1] < box.bottom - room;
    for (const line of lines.toSorted((a, b) => b.length - a.length).slice(0, most)) {
      const at = labelAt(line.filter(inner), width, labels);
      if (at) labels.push({ ...at, text });
    }
    return lines.map((l) => path(l)).join("");
  });
  return (
    <g class="contours">
      <path class="under" d={drawn.join("")} />
      {drawn.map((d, k) => d !== "" && <path key={levels[k]?.label} class="contour" data-level={levels[k]?.label} d={d} />)}
      {labels.map((l, k) => (
        <text key={k} class="mid" transform={`translate(${Math.round(l.x)} ${Math.round(l.y)}) rotate(${Math.round(l.turn)}) translate(0 4)`}>
          {l.text}
        </text>
      ))}
    </g>
  );
}
