import { useState } from "preact/hooks";
import { api } from "../api/client";
import { faultAt, without } from "../api/problem";
import { useSend } from "../state/useSend";
import { Dialog, Footer, type StudyDialogProps } from "./Dialog";
import { NumberField, parseNumber } from "./NumberField";
import { TextField } from "./TextField";

// CopyDialog makes a new study like this one, with another budget and with any other changes, which are JSON.
export function CopyDialog({ study, onDone, onClose }: StudyDialogProps) {
  const { busy, problem, send, forget } = useSend();
  const [name, setName] = useState(`${study.name}-2`);
  const [total, setTotal] = useState(String(study.ledger.total));
  const [changes, setChanges] = useState("");
  const [results, setResults] = useState(false);
  const [wrong, setWrong] = useState("");
  const copy = (e: Event) => {
    e.preventDefault();
    let more: unknown = {};
    try {
      more = changes.trim() === "" ? {} : JSON.parse(changes);
    } catch {
      more = null;
    }
    if (typeof more !== "object" || more === null || Array.isArray(more)) return setWrong('This is not JSON, such as {"parallel": 4}.');
    setWrong("");
    void send(async () => {
      const made = await api.copy(study, { name: name.trim(), results, changes: { budget: { ...study.definition.budget, total: parseNumber(total) ?? study.ledger.total }, ...more } });
      onClose();
      onDone(made);
    });
  };
  return (
    <Dialog title={`Duplicate ${study.name}`} id="copy-dialog" onClose={onClose}>
      <form onSubmit={copy} onInput={forget}>
        <TextField label="Name" text={name} onText={setName} testid="copy-name" fault={faultAt(problem, "name")} />
        <NumberField label={`Budget in ${study.definition.cost.unit}`} text={total} onText={setTotal} testid="copy-total" least={0} fault={faultAt(problem, "changes.budget.total")} />
        <label>
          Other changes, as JSON (optional)
          <textarea rows={3} value={changes} spellcheck={false} placeholder='{"parallel": 4, "seed": 2}' aria-invalid={wrong !== ""} onInput={(e) => setChanges(e.currentTarget.value)} data-testid="copy-changes" />
          <span class="wrong small" role="alert">
            {wrong}
          </span>
        </label>
        <label class="check">
          <input type="checkbox" checked={results} onChange={(e) => setResults(e.currentTarget.checked)} data-testid="copy-results" /> with the results of this study, as known results
        </label>
        <Footer act="Duplicate" testid="copy-submit" disabled={busy || name.trim() === "" || !((parseNumber(total) ?? 0) > 0)} problem={without(problem, ["name", "changes.budget.total"])} onClose={onClose} />
      </form>
    </Dialog>
  );
}
