import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { type Placed, placed, remaining } from "../lib/place";
import { useSend } from "../state/useSend";
import { StudyForm } from "./StudyForm";
import { Trouble } from "./Trouble";
import { YamlEditor } from "./YamlEditor";

interface Props {
  title?: string;
  from: string; // the file to begin with
  say: ComponentChildren;
  act: string;
  acting: string;
  testid: string;
  save: (text: string) => Promise<void>;
}

// StudyEditor is a study file as a form and as text, side by side and in step. What the server refuses is said at its field and marked in
// its line, until the field is changed.
export function StudyEditor({ title, from, say, act, acting, testid, save }: Props) {
  const [text, set] = useState(from);
  const [errors, setErrors] = useState<Placed[]>([]);
  const { busy, problem, send } = useSend();
  const change = (next: string) => {
    if (errors.length > 0) setErrors(remaining(errors, text, next));
    set(next);
  };
  const submit = async (e: Event) => {
    e.preventDefault();
    setErrors([]);
    const refused = await send(() => save(text));
    setErrors((refused?.fields ?? []).map((f) => placed(text, f)).sort((a, b) => a.line - b.line));
  };
  return (
    <form class="card" onSubmit={submit}>
      {title && <h2>{title}</h2>}
      <p class="say">{say}</p>
      <Trouble problem={(problem?.fields.length ?? 0) > 0 ? null : problem} />
      <div class="beside">
        <StudyForm text={text} errors={errors} onChange={change} />
        <div>
          <YamlEditor text={text} errors={errors} onChange={change} />
        </div>
      </div>
      <div class="buttons">
        <button type="submit" class="primary" disabled={busy} data-testid={testid}>
          {busy ? acting : act}
        </button>
        <button type="button" class="quiet" onClick={() => change(from)} disabled={text === from}>
          Start over
        </button>
      </div>
    </form>
  );
}
