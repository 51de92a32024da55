import { useState } from "preact/hooks";
import { api } from "../api/client";
import type { Problem } from "../api/problem";
import type { Study } from "../api/types";
import { go, studyPath } from "../lib/router";
import { save } from "../lib/save";
import { useMay } from "../state/me";
import { useSend } from "../state/useSend";
import { CopyDialog } from "./CopyDialog";
import { DeleteDialog } from "./DeleteDialog";
import { Menu, shutMenu } from "./Menu";
import { RenameDialog } from "./RenameDialog";
import { Trouble } from "./Trouble";

interface Props {
  study: Study;
  apply: (s: Study) => void;
}

// ManageMenu is what is done with a study as a whole, and seldom.
export function ManageMenu({ study, apply }: Props) {
  const [dialog, open] = useState<"rename" | "copy" | "delete" | null>(null);
  const { busy, problem, send } = useSend();
  const may = useMay();
  const show = (d: typeof dialog) => () => open(d);
  const change = () => go(studyPath(study.name, "edit"));
  const report = () => send(async () => save(await api.report(study.name), `${study.name}.html`));
  const archive = () => send(async () => apply(await api.archive(study, study.archived)));
  // What is refused stays to be read in the menu.
  const item = (id: string, text: string, act: () => void | Promise<Problem | null>, name = "") => (
    <button type="button" class={name} disabled={busy} onClick={async ({ currentTarget }) => (await act()) || shutMenu(currentTarget)} data-testid={id}>
      {text}
    </button>
  );
  return (
    <>
      <Menu class="more" testid="manage" button="More" label="more to do with this study">
        {item("download-report", busy ? "Working…" : "Download a report", report)}
        {may("admin") && item("copy-study", "Duplicate…", show("copy"))}
        {may("admin", study) && item("change-study", "Change…", change)}
        {may("admin", study) && item("rename-study", "Rename…", show("rename"))}
        {may("admin", study) && item("archive-study", study.archived ? "Take out of the archive" : "Archive", archive)}
        {may("admin", study) && item("delete-study", "Delete…", show("delete"), "wrong")}
        <Trouble problem={problem} />
      </Menu>
      {dialog === "rename" && <RenameDialog study={study} onDone={(s) => go(studyPath(s.name), { replace: true })} onClose={() => open(null)} />}
      {dialog === "copy" && <CopyDialog study={study} onDone={(s) => go(studyPath(s.name))} onClose={() => open(null)} />}
      {dialog === "delete" && <DeleteDialog study={study} onDone={() => go("/")} onClose={() => open(null)} />}
    </>
  );
}
