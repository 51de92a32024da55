import { api } from "../api/client";
import { go, studyPath } from "../lib/router";
import { template } from "../lib/template";
import { Doc } from "../parts/Doc";
import { Needs } from "../parts/Needs";
import { StudyEditor } from "../parts/StudyEditor";

export function NewPage() {
  const say = (
    <>
      A <Doc page="docs/TOOL.md#the-study-file">study file</Doc> says what may vary, what it may cost, and how to try a setting. The server suggests settings. <Doc page="docs/SERVICE.md">Workers</Doc> try them:{" "}
      <code>eke worker --server {location.origin} --study NAME</code>, your own program, or you, <Doc page="docs/LAB.md">by hand</Doc>.
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
