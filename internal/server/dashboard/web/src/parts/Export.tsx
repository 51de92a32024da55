import { useRef } from "preact/hooks";
import { type Cell, csv } from "../lib/csv";
import { png, svgText } from "../lib/picture";
import { route } from "../lib/router";
import { save } from "../lib/save";

interface Props {
  name: string; // of the chart
  table?: () => Cell[][]; // its data, with a line of names
}

// Export saves the chart beside it as a picture, and its data as CSV.
export function Export({ name, table }: Props) {
  const ref = useRef<HTMLDetailsElement>(null);
  const at = route.get();
  const file = at.page === "study" ? `${at.name}-${name}` : name;
  const chart = () => ref.current?.closest(".charted")?.querySelector<SVGSVGElement>("svg.chart") ?? null;
  const as = (make: () => Promise<Blob> | Blob, ending: string) => async () => {
    if (ref.current) ref.current.open = false;
    save(await make(), `${file}.${ending}`);
  };
  const drawn = <T,>(make: (c: SVGSVGElement) => T) => () => {
    const c = chart();
    if (!c) throw new Error("there is no chart");
    return make(c);
  };
  return (
    <details class="export" ref={ref} data-testid={`export-${name}`} onToggle={(e) => e.currentTarget.open && e.currentTarget.querySelector("button")?.focus()} onKeyDown={(e) => e.key === "Escape" && ref.current && (ref.current.open = false)}>
      <summary aria-label={`save the chart ${name}`} title="save this chart">
        ⤓
      </summary>
      <div class="menu">
        <button type="button" onClick={as(drawn((c) => new Blob([svgText(c)], { type: "image/svg+xml" })), "svg")} data-as="svg">
          SVG
        </button>
        <button type="button" onClick={as(drawn(png), "png")} data-as="png">
          PNG
        </button>
        {table && (
          <button type="button" onClick={as(() => new Blob([csv(table())], { type: "text/csv" }), "csv")} data-as="csv">
            CSV
          </button>
        )}
      </div>
    </details>
  );
}
