import { useState } from "preact/hooks";
import { api } from "../api/client";
import { plural, trialCount } from "../lib/format";
import { useSend } from "../state/useSend";
import { Dialog, Footer, type StudyDialogProps } from "./Dialog";
import { TextField } from "./TextField";

// DeleteDialog wants the name of the study, so that nobody deletes one by a wrong click.
export function DeleteDialog({ study, onDone, onClose }: StudyDialogProps) {
  const { busy, problem, send, forget } = useSend();
  const [name, set] = useState("");
  const remove = (e: Event) => {
    e.preventDefault();
    if (name !== study.name) return;
    void send(async () => {
      await api.delete(study, name);
      onClose();
      onDone(study);
    });
  };
  return (
    <Dialog title={`Delete ${study.name}?`} id="delete-dialog" onClose={onClose}>
      <form onSubmit={remove} onInput={forget}>
        <p class="say">
          The study and its {plural(trialCount(study), "trial")} are deleted for good. You cannot undo this. If you only want it out of the way, archive it; to keep the results, download the JSON from the trials first.
        </p>
        <TextField label="Type its name to confirm" text={name} onText={set} testid="delete-name" />
        <Footer act="Delete for good" testid="delete-submit" danger disabled={busy || name !== study.name} problem={problem} onClose={onClose} />
      </form>
    </Dialog>
  );
}
