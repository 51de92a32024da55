import { useState } from "preact/hooks";
import { api } from "../api/client";
import type { Study, Trial } from "../api/types";
import { isOpen } from "../lib/format";
import { useMay } from "../state/me";
import { useSend } from "../state/useSend";
import { NumberField, parseNumber } from "./NumberField";
import { Said } from "./Said";
import { Trouble } from "./Trouble";

interface Props {
  study: Study;
  trial: Trial;
  apply: (s: Study | null, t: Trial[]) => void;
}

// TrialThoughts is what somebody may do about a trial later: forget it, try it again, stop it, correct it.
export function TrialThoughts({ study, trial: t, apply }: Props) {
  const { busy, problem, send, forget: forgive } = useSend();
  const may = useMay();
  const [said, say] = useState("");
  const [was, correct] = useState<{ value: string; cost: string } | null>(null); // what the form began with; null: it is closed
  const [value, setValue] = useState("");
  const [cost, setCost] = useState("");
  const open = () => {
    const now = { value: t.state === "done" ? String(t.value) : "", cost: String(t.charged ?? 0) };
    setValue(now.value);
    setCost(now.cost);
    correct(now);
  };
  const forget = () =>
    void send(async () => {
      apply(await api.forget(study, t.number, t.forgotten === true), [{ ...t, asked: t.asked, finished: t.finished, forgotten: !t.forgotten }]);
    });
  const retry = () =>
    void send(async () => {
      await api.retry(study, t.number);
      say("Its setting is tried again, next.");
    });
  const stop = () =>
    void send(async () => {
      apply(null, [await api.stop(study, t.number)]);
      say("Its worker is told to stop.");
    });
  const save = () =>
    void send(async () => {
      apply(null, [await api.correct(study, t.number, figures)]);
      correct(null);
    });
  // Only what was changed is sent: somebody may have corrected the other figure meanwhile.
  const v = value === was?.value ? null : parseNumber(value);
  const c = cost === was?.cost ? null : parseNumber(cost);
  const figures = { ...(v === null ? {} : { value: v }), ...(c === null ? {} : { cost: c }) };
  const fine = (v !== null || c !== null) && (value.trim() === "" || parseNumber(value) !== null) && (parseNumber(cost) ?? -1) >= 0;
  return (
    <>
      <div class="buttons">
        {isOpen(t) ? may("worker") && (
          <button type="button" disabled={busy || t.stopping} onClick={stop} data-testid="stop-trial">
            {t.stopping ? "Being stopped…" : "Stop"}
          </button>
        ) : (
          <>
            {may("admin", study) && (
              <button type="button" disabled={busy} onClick={forget} data-testid="forget-trial">
                {t.forgotten ? "Count it again" : "Forget"}
              </button>
            )}
            {may("worker") && (
              <button type="button" disabled={busy || study.closed || t.outside} onClick={retry} data-testid="retry-trial">
                Try again
              </button>
            )}
            {may("admin", study) && (
              <button type="button" disabled={busy} onClick={() => (was ? correct(null) : open())} aria-expanded={was !== null} data-testid="correct-trial">
                Correct…
              </button>
            )}
          </>
        )}
      </div>
      {was && (
        <form
          onSubmit={(e) => {
            e.preventDefault();
            if (fine) save();
          }}
          onInput={forgive}
          data-testid="correct-form"
        >
          <NumberField label={study.definition.objective.name} text={value} onText={setValue} testid="correct-value" optional={t.state !== "done"} />
          <NumberField label={`cost in ${study.definition.cost.unit}`} text={cost} onText={setCost} testid="correct-cost" least={0} hint="The old figures stay on record." />
          <button type="submit" class="primary" disabled={busy || !fine} data-testid="correct-submit">
            Save
          </button>
        </form>
      )}
      <Trouble problem={problem} />
      <Said text={said} testid="thought" />
    </>
  );
}
