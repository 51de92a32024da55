import { useState } from "preact/hooks";
import { api } from "../api/client";
import { type Placed, placed } from "../lib/place";
import { go, studyPath } from "../lib/router";
import { template } from "../lib/template";
import { StudyForm } from "../parts/StudyForm";
import { Trouble } from "../parts/Trouble";
import { YamlEditor } from "../parts/YamlEditor";
import { useSend } from "../state/useSend";

export function NewPage() {
  const [text, set] = useState(template);
  const [errors, setErrors] = useState<Placed[]>([]);
  const { busy, problem, send } = useSend();
  const submit = async (e: Event) => {
    e.preventDefault();
    setErrors([]);
    const refused = await send(async () => {
      const study = await api.create(text);
      go(studyPath(study.name));
    });
    setErrors((refused?.fields ?? []).map((f) => placed(text, f)).sort((a, b) => a.line - b.line));
  };
  return (
    <>
      <div class="pagehead">
        <h1>New study</h1>
      </div>
      <form class="card" onSubmit={submit}>
        <p class="say">
          A study file says what may vary, what it may cost, and how to try a setting. The server suggests settings. Workers try them:{" "}
          <code>eke worker --server {location.origin} --study NAME</code>, your own program, or you, by hand.
        </p>
        <Trouble problem={errors.length > 0 ? null : problem} />
        <div class="beside">
          <StudyForm text={text} onChange={set} />
          <div>
            <YamlEditor text={text} errors={errors} onChange={set} />
          </div>
        </div>
        <div class="buttons">
          <button type="submit" class="primary" disabled={busy} data-testid="create">
            {busy ? "Creating…" : "Create the study"}
          </button>
          <button type="button" class="quiet" onClick={() => set(template)} disabled={text === template}>
            Start over
          </button>
        </div>
      </form>
    </>
  );
}
