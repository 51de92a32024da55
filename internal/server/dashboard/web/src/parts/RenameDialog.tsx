import { useState } from "preact/hooks";
import { api } from "../api/client";
import { faultAt, without } from "../api/problem";
import { useSend } from "../state/useSend";
import { Dialog, Footer, type StudyDialogProps } from "./Dialog";
import { TextField } from "./TextField";

export function RenameDialog({ study, onDone, onClose }: StudyDialogProps) {
  const { busy, problem, send, forget } = useSend();
  const [name, set] = useState(study.name);
  const rename = (e: Event) => {
    e.preventDefault();
    void send(async () => {
      const renamed = await api.rename(study, name.trim());
      onClose();
      onDone(renamed);
    });
  };
  return (
    <Dialog title={`Rename ${study.name}`} id="rename-dialog" onClose={onClose}>
      <form onSubmit={rename} onInput={forget}>
        <p class="say">Workers that use the old name will not find the study any more.</p>
        <TextField label="New name" text={name} onText={set} testid="rename-name" fault={faultAt(problem, "name")} />
        <Footer act="Rename" testid="rename-submit" disabled={busy || name.trim() === "" || name.trim() === study.name} problem={without(problem, ["name"])} onClose={onClose} />
      </form>
    </Dialog>
  );
}
