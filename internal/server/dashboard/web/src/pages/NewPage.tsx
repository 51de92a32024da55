import { api } from "../api/client";
import { go, studyPath } from "../lib/router";
import { template } from "../lib/template";
import { Needs } from "../parts/Needs";
import { StudyEditor } from "../parts/StudyEditor";

export function NewPage() {
  const say = (
    <>
      A study file says what may vary, what it may cost, and how to try a setting. The server suggests settings. Workers try them:{" "}
      <code>eke worker --server {location.origin} --study NAME</code>, your own program, or you, by hand.
    </>
  );
  return (
    <>
      <div class="pagehead">
        <h1>New study</h1>
      </div>
      <Needs role="admin" to="create a study">
        <StudyEditor from={template} say={say} act="Create the study" acting="Creating…" testid="create" save={async (text) => go(studyPath((await api.create(text)).name))} />
      </Needs>
    </>
  );
}
