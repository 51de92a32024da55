import { useRef } from "preact/hooks";
import { plural } from "../lib/format";
import type { Placed } from "../lib/place";

interface Props {
  text: string;
  errors: Placed[];
  onChange: (text: string) => void;
}

// YamlEditor is a textarea with line numbers. Long lines wrap: behind the textarea the same text is laid out once more, unseen, so that
// each number stands at the first row of its line. Lines with errors are marked, and each error links to its line.
export function YamlEditor({ text, errors, onChange }: Props) {
  const area = useRef<HTMLTextAreaElement>(null);
  const rows = useRef<HTMLDivElement>(null);
  const lines = text.split("\n");
  const bad = new Set(errors.map((e) => e.line));
  const jump = (e: Placed) => {
    const a = area.current;
    if (!a || e.line === 0) return;
    const start = lines.slice(0, e.line - 1).reduce((sum, l) => sum + l.length + 1, 0);
    a.focus({ preventScroll: true });
    const at = start + Math.max(0, e.column - 1);
    a.setSelectionRange(e.column > 0 ? at : start, start + (lines[e.line - 1]?.length ?? 0));
    rows.current?.children[e.line - 1]?.scrollIntoView({ block: "nearest" });
  };
  // Tab inserts two spaces. After Escape it leaves the field, as usual.
  const free = useRef(false);
  const key = (e: KeyboardEvent) => {
    if (e.key === "Escape") free.current = true;
    else if (e.key === "Tab" && !e.shiftKey && !free.current) {
      e.preventDefault();
      const a = area.current;
      if (!a) return;
      a.setRangeText("  ", a.selectionStart, a.selectionEnd, "end");
      onChange(a.value);
    } else if (e.key !== "Tab") free.current = false;
  };
  return (
    <>
      <div class="editor">
        <div class="rows" ref={rows} aria-hidden="true" data-testid="yaml-lines">
          {lines.map((line, k) => (
            <div key={k} class={bad.has(k + 1) ? "bad" : ""}>
              <i>{k + 1}</i>
              <span>{line}</span>
            </div>
          ))}
        </div>
        <textarea
          ref={area}
          id="yaml"
          data-testid="yaml"
          aria-label="study file"
          aria-describedby="yaml-help yaml-errors"
          aria-invalid={errors.length > 0}
          spellcheck={false}
          autocapitalize="off"
          autocomplete="off"
          value={text}
          onInput={(e) => onChange(e.currentTarget.value)}
          onKeyDown={key}
        />
      </div>
      <p id="yaml-help" class="faint small">
        Tab indents. Press Escape, then Tab, to leave the field.
      </p>
      <div id="yaml-errors" role="alert" data-testid="yaml-errors">
        {errors.length > 0 && <p class="wrong">The study file has {plural(errors.length, "mistake")}.</p>}
        <ul class="lineerrors">
        {errors.map((e, k) => (
          <li key={k} data-line={e.line} data-testid="yaml-error">
            {e.line > 0 && (
              <button type="button" class="lineno" onClick={() => jump(e)}>
                line {e.line}
              </button>
            )}
            <span>
              {e.field !== "" && <code>{e.field}</code>} {e.message}
              {e.hint !== "" && <span class="faint">; {e.hint}</span>}
              {e.line > 0 && <pre>{(lines[e.line - 1] ?? "").trim()}</pre>}
            </span>
          </li>
        ))}
        </ul>
      </div>
    </>
  );
}
