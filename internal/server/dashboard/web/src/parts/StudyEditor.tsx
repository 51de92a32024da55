import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { type Placed, placed } from "../lib/place";
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

// StudyEditor is a study file as a form and as text, side by side and in step. What the server refuses is marked in its line.
export function StudyEditor({ title, from, say, act, acting, testid, save }: Props) {
  const [text, set] = useState(from);
  const [errors, setErrors] = useState<Placed[]>([]);
  const { busy, problem, send } = useSend();
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
      <Trouble problem={errors.length > 0 ? null : problem} />
      <div class="beside">
        <StudyForm text={text} onChange={set} />
        <div>
          <YamlEditor text={text} errors={errors} onChange={set} />
        </div>
      </div>
      <div class="buttons">
        <button type="submit" class="primary" disabled={busy} data-testid={testid}>
          {busy ? acting : act}
        </button>
        <button type="button" class="quiet" onClick={() => set(from)} disabled={text === from}>
          Start over
        </button>
      </div>
    </form>
  );
}
