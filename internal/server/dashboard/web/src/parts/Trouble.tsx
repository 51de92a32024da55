import type { Problem } from "../api/problem";

interface Props {
  problem: Problem | null;
  again?: () => void;
}

// sentence begins with a capital letter and ends with a full stop.
const sentence = (s: string) => s.charAt(0).toUpperCase() + s.slice(1).replace(/\.?$/, ".");

// Trouble shows a problem: what is wrong, with which field, and what to do.
export function Trouble({ problem, again }: Props) {
  if (!problem) return null;
  const where = (location: string) => location.replace(/^(body|query|path|header)\.?/, "");
  // A detail that only repeats the first field is left out.
  const said = problem.fields.some((f) => problem.message.endsWith(f.message)) ? problem.title : problem.message;
  return (
    <div class="trouble" role="alert" data-testid="trouble" data-code={problem.code}>
      <p>
        <b>{problem.title || "Something went wrong"}</b>
        {said !== problem.title && <>: {said}.</>}
        {problem.hint !== "" && <span class="faint"> {sentence(problem.hint)}</span>}
        {problem.retryAfter !== null && <> Try again in {problem.retryAfter} s.</>}
      </p>
      {problem.fields.length > 0 && (
        <ul>
          {problem.fields.map((f) => (
            <li key={`${f.location} ${f.message}`}>
              {where(f.location ?? "") !== "" && <code>{where(f.location ?? "")}</code>} {f.message}
              {f.hint && <span class="faint">; {f.hint}</span>}
            </li>
          ))}
        </ul>
      )}
      {again && (
        <button type="button" onClick={again}>
          Try again
        </button>
      )}
    </div>
  );
}
