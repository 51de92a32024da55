import { type Mark, markWords } from "../lib/course";

function Picture({ mark }: { mark: Mark }) {
  switch (mark) {
    case "failed":
      return <path d="M3 3l8 8M3 11l8-8" class={`m ${mark}`} />;
    case "cut":
    case "stopped early":
    case "abandoned":
      return <rect x="3.5" y="3.5" width="7" height="7" class={`m ${mark}`} />;
    default:
      return <circle cx="7" cy="7" r="4" class={`m ${mark === "leading" ? "better" : mark === "observed" ? "done" : mark}`} />;
  }
}

// MarkKeys explains those marks that occur.
export function MarkKeys({ marks }: { marks: Set<Mark> }) {
  const order: Mark[] = ["better", "leading", "done", "observed", "beyond", "failed", "cut", "stopped early", "abandoned"];
  return (
    <ul class="keys">
      {marks.has("better") && (
        <li>
          <i class="rule" />
          best so far
        </li>
      )}
      {marks.has("leading") && (
        <li>
          <i class="rule" />
          expected of the best setting, with its 80% band
        </li>
      )}
      {order
        .filter((m) => marks.has(m))
        .map((m) => (
          <li key={m}>
            <svg viewBox="0 0 14 14" class="key" aria-hidden="true">
              <Picture mark={m} />
            </svg>
            {markWords[m]}
          </li>
        ))}
    </ul>
  );
}
