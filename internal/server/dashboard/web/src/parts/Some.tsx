import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

interface Props<T> {
  list: readonly T[];
  most: number; // of a longer list, so many are shown at first
  what: string; // they are: "parameters"
  children: (shown: readonly T[]) => ComponentChildren;
}

// Some shows the beginning of a long list, and the rest to those who want it.
export function Some<T>({ list, most, what, children }: Props<T>) {
  const [all, show] = useState(false);
  const long = list.length > most + 2;
  return (
    <>
      {children(all || !long ? list : list.slice(0, most))}
      {long && (
        <p class="more-of">
          <button type="button" aria-expanded={all} onClick={() => show(!all)} data-testid={`all-${what}`}>
            {all ? `Show the first ${most} only` : `Show all ${list.length} ${what}`}
          </button>
        </p>
      )}
    </>
  );
}
