import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { api } from "../api/client";
import type { ImportedFile, Study } from "../api/types";
import { amount, plural } from "../lib/format";
import { useSend } from "../state/useSend";
import { Card } from "./Card";
import { Doc } from "./Doc";
import { Footer } from "./Dialog";
import { Said } from "./Said";
import { Trouble } from "./Trouble";

const most = 900_000; // bytes; the server reads a megabyte, and JSON has quotation marks to escape

interface Chosen {
  name: string;
  text: string;
  columns: Record<string, string>; // what the viewer said, by column
  charge: boolean;
}

// ImportCard takes over results from a file. Nothing is added before the viewer has seen what would be.
export function ImportCard({ study }: { study: Study }) {
  const input = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const [chosen, choose] = useState<Chosen | null>(null);
  const [seen, see] = useState<ImportedFile | null>(null);
  const [said, say] = useState("");
  const [wrong, setWrong] = useState("");
  const { busy, problem, send, forget } = useSend();
  const how = (c: Chosen) => ({ file: c.text, charge: c.charge, ...(Object.keys(c.columns).length > 0 && { columns: c.columns }) });
  const look = (c: Chosen) => {
    choose(c);
    say("");
    void send(async () => see(await api.importFile(study, { ...how(c), dry_run: true })));
  };
  const take = async (file: File | null | undefined) => {
    if (input.current) input.current.value = ""; // so that the same file can be chosen again
    if (!file) return;
    forget();
    see(null);
    if (file.size > most) return setWrong(`${file.name} is too large for the page: ${Math.round(file.size / 1000)} kB, and ${most / 1000} kB is the most. Use eke import, or import it in parts.`);
    setWrong("");
    look({ name: file.name, text: await file.text(), columns: {}, charge: false });
  };
  const leave = () => {
    choose(null);
    see(null);
    forget();
  };
  const add = () =>
    void send(async () => {
      if (!chosen) return;
      const done = await api.importFile(study, how(chosen));
      leave();
      say(`${plural(done.added, "result")} added${done.known > 0 ? `, ${done.known} known already` : ""}, charged ${amount(study.definition.cost, done.charged)}.`);
    });
  const drop = (e: DragEvent) => {
    e.preventDefault();
    setOver(false);
    void take(e.dataTransfer?.files[0]);
  };
  return (
    <Card id="import-card" title="Results from a file" say={
        <>
          CSV with a header, JSON, an export of eke, or an Optuna journal. The study <Doc page="docs/TOOL.md#results-and-settings-of-your-own">learns from them</Doc>. You see first what would be added.
        </>
      }>
      <div class={`drop${over ? " over" : ""}`} onDragOver={(e) => (e.preventDefault(), setOver(true))} onDragLeave={() => setOver(false)} onDrop={drop} data-testid="import-drop">
        <label class="button">
          Choose a file
          <input ref={input} type="file" class="unseen" accept=".csv,.tsv,.txt,.json,.jsonl,.log" disabled={busy || study.closed} onChange={(e) => void take(e.currentTarget.files?.[0])} data-testid="import-file" />
        </label>{" "}
        <span class="faint">{chosen ? chosen.name : "or drop it here"}</span>
      </div>
      {wrong !== "" && (
        <p class="wrong" role="alert">
          {wrong}
        </p>
      )}
      {chosen && seen ? (
        <Preview study={study} seen={seen} chosen={chosen} onLook={look}>
          <Footer act={`Add ${plural(seen.added, "result")}`} testid="import-submit" disabled={busy || seen.missing.length > 0 || seen.added === 0} problem={problem} onAct={add} onClose={leave} />
        </Preview>
      ) : (
        <Trouble problem={problem} />
      )}
      <Said text={said} testid="import-said" />
    </Card>
  );
}

interface PreviewProps {
  study: Study;
  seen: ImportedFile;
  chosen: Chosen;
  onLook: (c: Chosen) => void;
  children: ComponentChildren;
}

// Preview is what an import would come to: which column is what, and which rows are left out.
function Preview({ study, seen, chosen, onLook, children }: PreviewProps) {
  const d = study.definition;
  const roles = ["value", "cost", ...d.parameters.map((p) => p.name), ...(d.fidelity ? [d.fidelity.name] : [])];
  const name = (role: string) => (role === "value" ? d.objective.name : role === "cost" ? `cost in ${d.cost.unit}` : role);
  const match = (role: string, column: string) => {
    const rest = Object.fromEntries(Object.entries(chosen.columns).filter(([c, r]) => r !== role && c !== column));
    onLook({ ...chosen, columns: column === "" ? rest : { ...rest, [column]: role } });
  };
  return (
    <div data-testid="import-preview">
      <p class="say">
        {seen.form}, {plural(seen.rows, "row")}.{seen.missing.length > 0 ? ` Say which column is ${seen.missing.map(name).join(", ")}.` : ""}
      </p>
      <div class="fields matched">
        {roles.map((role) => (
          <label class="field" key={role}>
            <span>{name(role)}</span>
            <select value={seen.matched[role] ?? ""} aria-invalid={seen.missing.includes(role)} onChange={(e) => match(role, e.currentTarget.value)} data-testid={`match-${role}`}>
              {(seen.matched[role] === undefined || seen.matched[role] in chosen.columns) && <option value="">no column</option>}
              {seen.columns.map((c) => (
                <option key={c}>{c}</option>
              ))}
            </select>
          </label>
        ))}
      </div>
      {seen.missing.length === 0 && (
        <>
          <p data-testid="import-sum">
            {plural(seen.added, "result")} would be added
            {seen.known > 0 && `, ${seen.known} are known already`}
            {seen.without > 0 && `, ${plural(seen.without, "row")} without a result`}
            {seen.left_out > 0 && `, ${plural(seen.left_out, "row")} left out`}. They would cost {amount(d.cost, seen.charged)}.
          </p>
          {seen.refused.length > 0 && (
            <details open={seen.refused.length <= 5}>
              <summary>Rows that the study does not allow</summary>
              <ul class="refused" data-testid="import-refused">
                {seen.refused.map((r) => (
                  <li key={r.where}>
                    <b>{r.where}</b>: {r.problem}
                  </li>
                ))}
                {seen.left_out > seen.refused.length && <li>and {seen.left_out - seen.refused.length} more</li>}
              </ul>
            </details>
          )}
          <label class="inline">
            <input type="checkbox" checked={chosen.charge} onChange={(e) => onLook({ ...chosen, charge: e.currentTarget.checked })} data-testid="import-charge" /> charge the study what they cost
          </label>
        </>
      )}
      {children}
    </div>
  );
}
