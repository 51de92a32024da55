import { useState } from "preact/hooks";
import { api } from "../api/client";
import type { Study } from "../api/types";
import { Markdown } from "../lib/markdown";
import { useMay } from "../state/me";
import { useSend } from "../state/useSend";
import { Card } from "./Card";
import { Trouble } from "./Trouble";

const words = (text: string): string[] => [...new Set(text.split(/[,\s]+/).filter((w) => w !== ""))];

// LabelsCard is what people have written about a study: its tags, and notes in Markdown. It also says who is told what happens.
export function LabelsCard({ study, apply }: { study: Study; apply: (s: Study) => void }) {
  const [editing, edit] = useState(false);
  const [tags, setTags] = useState("");
  const [notes, setNotes] = useState("");
  const { busy, problem, send, forget } = useSend();
  const may = useMay();
  const begin = () => {
    setTags(study.tags.join(", "));
    setNotes(study.notes);
    edit(true);
  };
  const keep = (e: Event) => {
    e.preventDefault();
    void send(async () => {
      apply(await api.label(study.name, { tags: words(tags), notes }));
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
          <label class="field">
            <span>Tags, separated by commas</span>
            <input type="text" value={tags} autocomplete="off" onInput={(e) => setTags(e.currentTarget.value)} data-testid="edit-tags" />
          </label>
          <label class="field">
            <span>Notes, in Markdown</span>
            <textarea rows={8} value={notes} onInput={(e) => setNotes(e.currentTarget.value)} data-testid="edit-notes" />
          </label>
          <Trouble problem={problem} />
          <div class="buttons">
            <button type="submit" class="primary" disabled={busy} data-testid="save-labels">
              Save
            </button>
            <button type="button" onClick={() => edit(false)}>
              Cancel
            </button>
          </div>
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
