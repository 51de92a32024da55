import { useState } from "preact/hooks";
import { api } from "../api/client";
import { asProblem, Problem } from "../api/problem";
import { type Placed, placed } from "../lib/place";
import { go, studyPath } from "../lib/router";
import { template } from "../lib/template";
import { Trouble } from "../parts/Trouble";
import { YamlEditor } from "../parts/YamlEditor";

export function NewPage() {
  const [text, set] = useState(template);
  const [errors, setErrors] = useState<Placed[]>([]);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);
  const submit = async (e: Event) => {
    e.preventDefault();
    setBusy(true);
    setProblem(null);
    setErrors([]);
    try {
      const study = await api.create(text);
      go(studyPath(study.name));
    } catch (err) {
      const p = asProblem(err);
      setErrors(p.fields.map((f) => placed(text, f)).sort((a, b) => a.line - b.line));
      setProblem(new Problem(p.status, p.code, p.title, p.message, [], p.retryAfter));
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <div class="pagehead">
        <h1>New study</h1>
      </div>
      <form class="card" onSubmit={submit}>
        <p class="say">
          A study file says what may vary, what it may cost, and how to try a setting. The service suggests; workers try:{" "}
          <code>eke worker --server {location.origin} --study NAME</code>, a program of your own, or you, by hand.
        </p>
        <Trouble problem={problem} />
        <YamlEditor text={text} errors={errors} onChange={set} />
        <div class="buttons">
          <button type="submit" class="primary" disabled={busy} data-testid="create">
            {busy ? "Creating…" : "Create the study"}
          </button>
          <button type="button" class="quiet" onClick={() => set(template)} disabled={text === template}>
            Begin again
          </button>
        </div>
      </form>
    </>
  );
}
