import { useState } from "preact/hooks";
import { api } from "../api/client";
import type { Study } from "../api/types";
import { Markdown } from "../lib/markdown";
import { useMay, useMe } from "../state/me";
import { useSend } from "../state/useSend";
import { Card } from "./Card";
import { Footer } from "./Dialog";
import { TextField } from "./TextField";
import { WhoseFields } from "./WhoseFields";

const words = (text: string): string[] => [...new Set(text.split(/[,\s]+/).filter((w) => w !== ""))];

// LabelsCard is what people have written about a study: its tags, and notes in Markdown. It also says who is told what happens.
export function LabelsCard({ study, apply }: { study: Study; apply: (s: Study) => void }) {
  const [editing, edit] = useState(false);
  const [tags, setTags] = useState("");
  const [notes, setNotes] = useState("");
  const { busy, problem, send, forget } = useSend();
  const [owner, setOwner] = useState("");
  const [group, setGroup] = useState("");
  const may = useMay();
  const me = useMe();
  // The server lets an admin change the owner, and one who sees all groups the group. On a server that is open to all, neither means anything.
  const rules = me !== null && !me.open && me.role === "admin";
  const begin = () => {
    setTags(study.tags.join(", "));
    setNotes(study.notes);
    setOwner(study.owner ?? "");
    setGroup(study.group ?? "");
    edit(true);
  };
  const keep = (e: Event) => {
    e.preventDefault();
    void send(async () => {
      const whose = { ...(rules && owner !== (study.owner ?? "") && { owner }), ...(rules && group.trim() !== (study.group ?? "") && { group: group.trim() }) };
      apply(await api.label(study, { tags: words(tags), notes, ...whose }));
      edit(false);
    });
  };
  const { notify } = study.definition;
  if (!editing && study.tags.length === 0 && study.notes === "" && !notify && !may("admin", study)) return null;
  return (
    <Card
      id="labels"
      title="Notes"
      aside={
        !editing &&
        may("admin", study) && (
          <button type="button" onClick={begin} data-testid="edit-labels">
            Edit
          </button>
        )
      }
    >
      {editing ? (
        <form onSubmit={keep} onInput={forget}>
          <TextField label="Tags, separated by commas" text={tags} onText={setTags} testid="edit-tags" />
          <label class="field">
            <span>Notes, in Markdown</span>
            <textarea rows={8} value={notes} onInput={(e) => setNotes(e.currentTarget.value)} data-testid="edit-notes" />
          </label>
          {rules && <WhoseFields owner={owner} group={group} onOwner={setOwner} onGroup={me.group ? null : setGroup} />}
          <Footer act="Save" testid="save-labels" disabled={busy} problem={problem} onClose={() => edit(false)} />
        </form>
      ) : (
        <>
          {study.tags.length > 0 && (
            <p class="tags" data-testid="tags">
              {study.tags.map((t) => (
                <span class="tag" key={t}>
                  {t}
                </span>
              ))}
            </p>
          )}
          {study.notes !== "" ? <Markdown text={study.notes} /> : <p class="say">{study.tags.length > 0 ? "" : "Nobody has written anything yet."}</p>}
          {may("admin", study) && (study.owner || study.group) && (
            <p class="faint" data-testid="whose">
              {study.owner && (
                <>
                  It belongs to the token <code>{study.owner}</code>
                  {study.owner === me?.id && " (yours)"}.{" "}
                </>
              )}
              {study.group && (
                <>
                  Only the group <code>{study.group}</code>, and tokens without a group, see it.
                </>
              )}
            </p>
          )}
          {notify && (
            <p class="faint" data-testid="notify">
              {notify.url && (
                <>
                  Messages go to <code>{notify.url}</code>
                  {(notify.on?.length ?? 0) > 0 && ` on ${notify.on?.join(", ")}`}.{" "}
                </>
              )}
              {notify.command && (
                <>
                  Runs call <code>{notify.command.join(" ")}</code>
                  {!notify.url && (notify.on?.length ?? 0) > 0 && ` on ${notify.on?.join(", ")}`}.
                </>
              )}
            </p>
          )}
        </>
      )}
    </Card>
  );
}
