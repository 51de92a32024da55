import { api } from "../api/client";
import { amount } from "../lib/format";
import { useSend } from "../state/useSend";
import { Dialog, type StudyDialogProps } from "./Dialog";
import { Trouble } from "./Trouble";

export function EndDialog({ study, onDone, onClose }: StudyDialogProps) {
  const { busy, problem, send } = useSend();
  const end = () =>
    void send(async () => {
      onDone(await api.end(study.name));
      onClose();
    });
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
