import type { ComponentChildren } from "preact";
import { type Page, pageAddress } from "../lib/docs";

// Doc links to a page of the documentation. It opens beside this page, where something may have been typed.
export const Doc = ({ page, children }: { page: Page; children: ComponentChildren }) => (
  <a href={pageAddress(page)} target="_blank" rel="noopener noreferrer" class="doc">
    {children}
  </a>
);
