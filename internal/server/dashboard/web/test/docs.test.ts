import { expect, it } from "vitest";
import { pageAddress, pages } from "../src/lib/docs";

const files = import.meta.glob<string>(["../../../../../docs/*.md", "../../../../../clients/python/README.md"], { query: "?raw", import: "default", eager: true });

// anchors are those that a forge gives to the headings of a page.
const anchors = (text: string): string[] =>
  [...text.matchAll(/^#+ (.+)$/gm)].map((m) => (m[1] ?? "").toLowerCase().replace(/[^\w\- ]/g, "").replaceAll(" ", "-"));

it.each(pages)("there is %s", (page) => {
  const [file = "", anchor] = page.split("#");
  const text = files[`../../../../../${file}`] ?? "";
  expect(text).toMatch(/^# /);
  if (anchor !== undefined) expect(anchors(text)).toContain(anchor);
});

it("leads to the web", () => expect(pageAddress("docs/TOOL.md#stopping")).toBe("https://github.com/eke-bo/eke/blob/main/docs/TOOL.md#stopping"));
