import type { ComponentChildren } from "preact";
import { go } from "../lib/router";

interface Props {
  to: string;
  keep?: boolean;
  class?: string;
  children?: ComponentChildren;
  "aria-label"?: string;
  "aria-current"?: "page" | undefined;
  "data-testid"?: string;
}

// Link goes to another page without loading it; with a modifier it is a link like any other.
export function Link({ to, keep = false, children, ...rest }: Props) {
  const click = (e: MouseEvent) => {
    if (e.defaultPrevented || e.button !== 0 || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey) return;
    e.preventDefault();
    go(to, { keep });
  };
  return (
    <a {...rest} href={to} onClick={click}>
      {children}
    </a>
  );
}
