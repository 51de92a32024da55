import { useState } from "preact/hooks";
import { api } from "../api/client";
import type { Study } from "../api/types";
import { sentence } from "../lib/words";
import { Doc } from "../parts/Doc";
import { Loading } from "../parts/Loading";
import { StudyEditor } from "../parts/StudyEditor";
import { Trouble } from "../parts/Trouble";
import { useLoad } from "../state/useLoad";

// EditTab changes a study that has begun, by its file. The file is read once: what is typed must not be lost when others change something.
// Then the server refuses to overwrite it.
export function EditTab({ study, apply }: { study: Study; apply: (s: Study) => void }) {
  const [attempt, again] = useState(0);
  const [changes, say] = useState<string[] | null>(null);
  const { data, problem } = useLoad((stop) => api.definition(study.name, stop), [study.name, attempt], attempt);
  const save = async (text: string) => {
    say(null);
    const done = await api.change(study, text, data?.version ?? 0);
    apply(done.study);
    say(done.changes);
    again((n) => n + 1);
  };
  return (
    <>
      {changes && (
        <p class="note" role="status" data-testid="changed">
          <b>Saved.</b> {changes.map(sentence).join(" ")}
        </p>
      )}
      <Trouble problem={problem} again={() => again((n) => n + 1)} />
      {!data && !problem && <Loading what="loading the study file" />}
      {data && (
        <StudyEditor
          key={data.version}
          title="Change the study"
          from={data.yaml}
          say={
            <>
              The budget, the parameters and what is said about running trials may <Doc page="docs/TOOL.md#changing-the-file">change</Doc> while the study goes on. Earlier trials count as far as the new parameters allow their settings; a new
              parameter needs a default, the value that they had. The objective, the cost and the seed stay.
            </>
          }
          act="Save the changes"
          acting="Saving…"
          testid="save-study"
          save={save}
        />
      )}
    </>
  );
}
