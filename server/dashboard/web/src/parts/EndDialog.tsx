import { useState } from "preact/hooks";
import { api } from "../api/client";
import { asProblem, type Problem } from "../api/problem";
import type { Study } from "../api/types";
import { amount } from "../lib/format";
import { Dialog } from "./Dialog";
import { Trouble } from "./Trouble";

interface Props {
  study: Study;
  onDone: (s: Study) => void;
  onClose: () => void;
}

export function EndDialog({ study, onDone, onClose }: Props) {
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);
  const end = async () => {
    setBusy(true);
    try {
      onDone(await api.end(study.name));
      onClose();
    } catch (err) {
      setProblem(asProblem(err));
      setBusy(false);
    }
  };
  return (
    <Dialog title={`End ${study.name}?`} id="end-dialog" onClose={onClose}>
      <p class="say">
        Nothing more will be asked for, for good; {amount(study.definition.cost, study.left)} stays unspent. Trials under way may still tell their results.
      </p>
      <Trouble problem={problem} />
      <div class="buttons">
        <button type="button" class="danger" disabled={busy} onClick={end} data-testid="end-submit">
          End it
        </button>
        <button type="button" onClick={onClose}>
          Keep it going
        </button>
      </div>
    </Dialog>
  );
}
