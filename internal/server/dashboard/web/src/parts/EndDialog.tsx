import { api } from "../api/client";
import { amount } from "../lib/format";
import { useSend } from "../state/useSend";
import { Dialog, Footer, type StudyDialogProps } from "./Dialog";

export function EndDialog({ study, onDone, onClose }: StudyDialogProps) {
  const { busy, problem, send } = useSend();
  const end = () =>
    void send(async () => {
      onDone(await api.end(study));
      onClose();
    });
  return (
    <Dialog title={`End ${study.name}?`} id="end-dialog" onClose={onClose}>
      <p class="say">
        The study will hand out no more trials. You cannot undo this. {amount(study.definition.cost, study.left)} will stay unspent. Running trials may still report their results.
      </p>
      <Footer act="End study" testid="end-submit" danger disabled={busy} problem={problem} onAct={end} onClose={onClose} />
    </Dialog>
  );
}
