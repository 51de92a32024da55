import type { Summary } from "../api/types";
import { standing } from "../lib/state";
import { sentence } from "../lib/words";

export function State({ of }: { of: Summary }) {
  const { word, kind } = standing(of);
  return (
    <span class={`pill ${kind}`} title={of.finished ? sentence(of.finished.reason) : undefined} data-testid="state">
      {word}
    </span>
  );
}
