import { type Cell, csv } from "../lib/csv";
import { png, svgText } from "../lib/picture";
import { route } from "../lib/router";
import { save } from "../lib/save";
import { Menu, shutMenu } from "./Menu";

interface Props {
  name: string; // of the chart
  table: () => Cell[][]; // its data, with a line of names
}

type Chart = SVGSVGElement;

// Export saves the chart beside it as a picture, and its data as CSV.
export function Export({ name, table }: Props) {
  const at = route.get();
  const file = at.page === "study" ? `${at.name}-${name}` : name;
  const formats: [string, (c: Chart) => Promise<Blob> | Blob][] = [
    ["SVG", (c) => new Blob([svgText(c)], { type: "image/svg+xml" })],
    ["PNG", png],
    ["CSV", () => new Blob([csv(table())], { type: "text/csv" })],
  ];
  const as = (ending: string, make: (c: Chart) => Promise<Blob> | Blob) => async (e: Event) => {
    const button = e.currentTarget as Element;
    const chart = button.closest(".charted")?.querySelector<Chart>("svg.chart");
    shutMenu(button);
    if (chart) save(await make(chart), `${file}.${ending}`);
  };
  return (
    <Menu class="export" testid={`export-${name}`} button="⤓" buttonClass="" label={`save the chart ${name.replaceAll("-", " ")}`}>
      {formats.map(([text, make]) => (
        <button type="button" key={text} onClick={as(text.toLowerCase(), make)} data-as={text.toLowerCase()}>
          {text}
        </button>
      ))}
    </Menu>
  );
}
