// Charts as pictures that need no style sheet.

const looks = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "opacity", "font-family", "font-size", "font-weight", "text-anchor", "paint-order", "display"];
const unseen = ".pane, .grip, .strips";
const space = "http://www.w3.org/2000/svg";

function child(of: Element, name: string, attributes: Record<string, string | number>): void {
  const e = document.createElementNS(space, name);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, String(v));
  of.prepend(e);
}

// svgText is a chart as a file of its own: every element gets the look that the style sheet gives it here. A canvas under the chart
// becomes a picture in it.
export function svgText(chart: SVGSVGElement): string {
  const copy = chart.cloneNode(true) as SVGSVGElement;
  const copies = [...copy.querySelectorAll("*")];
  for (const [k, e] of [...chart.querySelectorAll("*")].entries()) {
    const style = getComputedStyle(e);
    for (const name of looks) copies[k]?.setAttribute(name, style.getPropertyValue(name));
    for (const name of ["class", "data-tip", "data-trial", "data-testid", "tabindex", "role"]) copies[k]?.removeAttribute(name);
  }
  for (const [k, e] of [...chart.querySelectorAll("*")].entries()) if (e.matches(unseen)) copies[k]?.remove();
  const { width, height } = chart.getBoundingClientRect();
  const canvas = chart.parentElement?.querySelector("canvas");
  if (canvas) {
    const [at, from] = [canvas.getBoundingClientRect(), chart.getBoundingClientRect()];
    child(copy, "image", { href: canvas.toDataURL(), x: at.x - from.x, y: at.y - from.y, width: at.width, height: at.height, preserveAspectRatio: "none" });
  }
  child(copy, "rect", { width: "100%", height: "100%", fill: getComputedStyle(document.documentElement).getPropertyValue("--card").trim() });
  for (const name of ["class", "role", "aria-label", "aria-hidden"]) copy.removeAttribute(name);
  copy.setAttribute("width", String(width));
  copy.setAttribute("height", String(height));
  return new XMLSerializer().serializeToString(copy);
}

const sharp = 2; // pixels of a PNG for each of the screen

// png draws a chart into a picture. The content security policy allows pictures from data addresses only.
export async function png(chart: SVGSVGElement): Promise<Blob> {
  const picture = new Image();
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgText(chart))}`;
  await picture.decode();
  const canvas = document.createElement("canvas");
  canvas.width = sharp * picture.width;
  canvas.height = sharp * picture.height;
  canvas.getContext("2d")?.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return new Promise((done, fail) => canvas.toBlob((b) => (b ? done(b) : fail(new Error("the browser could not draw the picture")))));
}
