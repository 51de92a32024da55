import { useMemo, useState } from "preact/hooks";
import { api } from "../api/client";
import { newKey } from "../api/http";
import { faultAt, without } from "../api/problem";
import { amount } from "../lib/format";
import { useSend } from "../state/useSend";
import { Dialog, Footer, type StudyDialogProps } from "./Dialog";
import { NumberField, parseNumber } from "./NumberField";

export function BudgetDialog({ study, onDone, onClose }: StudyDialogProps) {
  const { cost } = study.definition;
  const [text, set] = useState("");
  const { busy, problem, send, forget } = useSend();
  const key = useMemo(newKey, [text]); // a second try must not add the money twice
  const add = parseNumber(text);
  const good = add !== null && add > 0;
  const edit = (t: string) => {
    set(t);
    forget();
  };
  const submit = (e: Event) => {
    e.preventDefault();
    if (!good || busy) return;
    void send(async () => {
      onDone(await api.addBudget(study, add, key));
      onClose();
    });
  };
  return (
    <Dialog title="Add to the budget" id="budget-dialog" onClose={onClose}>
      <form onSubmit={submit} noValidate>
        <NumberField label={`Amount in ${cost.unit}`} text={text} onText={edit} testid="budget-amount" least={0} above autofocus fault={faultAt(problem, "add")} />
        <p class="say" aria-live="polite">
          {good && problem === null ? `The budget becomes ${amount(cost, study.ledger.total + add)}, with ${amount(cost, study.left + add)} left.` : `The budget is ${amount(cost, study.ledger.total)}, with ${amount(cost, study.left)} left.`}
        </p>
        <Footer act="Add" testid="budget-submit" disabled={!good || busy} problem={without(problem, ["add"])} onClose={onClose} />
      </form>
    </Dialog>
  );
}
