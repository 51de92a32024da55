// Where the documentation is. The server does not have it.
const home = "https://github.com/eke-bo/eke/blob/main/";

// pages are those that the page refers to, with their sections.
export const pages = [
  "docs/TOOL.md#the-study-file",
  "docs/TOOL.md#constraints",
  "docs/TOOL.md#stopping",
  "docs/TOOL.md#how-a-command-gets-its-setting-and-reports-its-result",
  "docs/TOOL.md#changing-the-file",
  "docs/TOOL.md#results-and-settings-of-your-own",
  "docs/FIDELITY.md",
  "docs/POLICIES.md",
  "docs/SERVICE.md",
  "docs/LAB.md",
  "clients/python/README.md",
] as const;

export type Page = (typeof pages)[number];

export const pageAddress = (p: Page): string => home + p;
