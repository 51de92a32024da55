import { useEffect, useRef, useState } from "preact/hooks";
import { api } from "../api/client";
import type { File, Study, Trial } from "../api/types";
import { isOpen, plural } from "../lib/format";
import { save } from "../lib/save";
import { useLoad } from "../state/useLoad";
import { useNow } from "../state/useNow";
import { useOutput } from "../state/useOutput";
import { useSend } from "../state/useSend";
import { Card } from "./Card";
import { Choice } from "./Choice";
import { Trouble } from "./Trouble";

const texts = ["stdout", "stderr", "environment"];
const isPicture = (name: string): boolean => /\.(png|jpe?g|gif|webp)$/i.test(name);
const size = (bytes: number): string => (bytes < 1e4 ? plural(bytes, "byte") : bytes < 1e6 ? `${Math.round(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`);

// OutputCard is what a trial prints, while it runs and afterwards, and the files that it left.
export function OutputCard({ study, trial }: { study: Study; trial: Trial }) {
  const live = isOpen(trial);
  const now = useNow(live);
  const { data, problem } = useLoad((stop) => api.files(study.name, trial.number, stop), [study.name, trial.number, trial.state, live ? Math.floor(now / 4000) : 0]);
  const [chosen, choose] = useState<string | null>(null);
  const files = data?.files ?? [];
  const readable = texts.filter((n) => files.some((f) => f.name === n));
  const left = files.filter((f) => !texts.includes(f.name));
  if (problem && problem.status !== 403) return problem.status === 409 ? null : <Trouble problem={problem} />;
  if (problem) return null; // this server shows output to others only
  if (files.length === 0 && !live) return null;
  const shown = chosen !== null && readable.includes(chosen) ? chosen : readable[0];
  return (
    <Card
      id="output"
      title={`Output of trial ${trial.number}`}
      aside={readable.length > 1 && shown && <Choice label="file" value={shown} onChange={choose} testid="output-of" options={readable.map((n) => ({ value: n, text: n }))} />}
    >
      {shown ? <Text study={study.name} trial={trial.number} file={shown} live={live} /> : <p class="say">{files.length > 0 ? "It printed nothing." : "Its worker has sent nothing yet."}</p>}
      {left.length > 0 && (
        <ul class="artifacts" data-testid="artifacts">
          {left.map((f) => (
            <Artifact key={f.name} study={study.name} trial={trial.number} file={f} />
          ))}
        </ul>
      )}
    </Card>
  );
}

function Text({ study, trial, file, live }: { study: string; trial: number; file: string; live: boolean }) {
  const { text, skipped, problem, busy } = useOutput(study, trial, file, live);
  const box = useRef<HTMLPreElement>(null);
  const follows = useRef(true); // as long as nobody has scrolled up
  useEffect(() => {
    if (follows.current) box.current?.scrollTo(0, box.current.scrollHeight);
  }, [text]);
  return (
    <>
      <Trouble problem={problem} />
      {skipped && <p class="faint small">What came before is not shown.</p>}
      <pre
        ref={box}
        class="output"
        tabindex={0}
        role="log"
        aria-label={file}
        aria-live="off"
        onScroll={(e) => (follows.current = e.currentTarget.scrollTop + e.currentTarget.clientHeight >= e.currentTarget.scrollHeight - 20)}
        data-testid="output-text"
      >
        {text}
      </pre>
      {live && <p class="faint small">{busy ? "Loading…" : "It is still running. New lines are shown as its worker sends them."}</p>}
    </>
  );
}

// A link cannot carry the token, so pictures become data addresses, which the content security policy allows.
const address = (b: Blob): Promise<string> =>
  new Promise((done, fail) => {
    const r = new FileReader();
    r.onload = () => done(String(r.result));
    r.onerror = () => fail(r.error);
    r.readAsDataURL(b);
  });

function Artifact({ study, trial, file }: { study: string; trial: number; file: File }) {
  const { busy, problem, send } = useSend();
  const { data } = useLoad(async (stop) => (isPicture(file.name) ? address(await api.file(study, trial, file.name, stop)) : null), [study, trial, file.name, file.size]);
  return (
    <li>
      <button type="button" disabled={busy} onClick={() => void send(async () => save(await api.file(study, trial, file.name), file.name))}>
        {file.name}
      </button>{" "}
      <span class="faint small">{size(file.size)}</span>
      <Trouble problem={problem} />
      {data && <img src={data} alt={file.name} />}
    </li>
  );
}
