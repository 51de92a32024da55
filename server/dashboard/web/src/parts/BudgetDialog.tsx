import { useState } from "preact/hooks";
import { api } from "../api/client";
import { asProblem, type Problem } from "../api/problem";
import type { Study } from "../api/types";
import { amount } from "../lib/format";
import { Dialog } from "./Dialog";
import { NumberField, parseNumber } from "./NumberField";
import { Trouble } from "./Trouble";

interface Props {
  study: Study;
  onDone: (s: Study) => void;
  onClose: () => void;
}

export function BudgetDialog({ study, onDone, onClose }: Props) {
  const { cost } = study.definition;
  const [text, set] = useState("");
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);
  const add = parseNumber(text);
  const good = add !== null && add > 0;
  const submit = async (e: Event) => {
    e.preventDefault();
    if (!good || busy) return;
    setBusy(true);
    try {
      onDone(await api.addBudget(study.name, add));
      onClose();
    } catch (err) {
      setProblem(asProblem(err));
      setBusy(false);
    }
  };
  return (
    <Dialog title="Add to the budget" id="budget-dialog" onClose={onClose}>
      <form onSubmit={submit} noValidate>
        <NumberField label={`How much more, in ${cost.unit}`} text={text} onText={set} testid="budget-amount" least={0} above autofocus />
        <p class="say" aria-live="polite">
          {good ? `The budget becomes ${amount(cost, study.ledger.total + add)}, of which ${amount(cost, study.left + add)} is free.` : `The budget is ${amount(cost, study.ledger.total)}, of which ${amount(cost, study.left)} is free.`}
        </p>
        <Trouble problem={problem} />
        <div class="buttons">
          <button type="submit" class="primary" disabled={!good || busy} data-testid="budget-submit">
            Add it
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}
