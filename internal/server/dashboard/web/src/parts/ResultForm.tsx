import { useState } from "preact/hooks";
import { api } from "../api/client";
import { newKey } from "../api/http";
import { faultAt, without } from "../api/problem";
import { maxNote, type Study, type Trial } from "../api/types";
import { amount, inputs, number, valueText } from "../lib/format";
import { useSend } from "../state/useSend";
import { Choice } from "./Choice";
import { NumberField, parseNumber } from "./NumberField";
import { Trouble } from "./Trouble";

interface Props {
  study: Study;
  trial: Trial;
  onDone: (t: Trial, words: string) => void;
}

type Came = "value" | "nothing";

export function ResultForm({ study, trial, onDone }: Props) {
  const d = study.definition;
  const timed = d.cost.source === "walltime";
  const [came, setCame] = useState<Came>("value");
  const [value, setValue] = useState("");
  const [cost, setCost] = useState("");
  const [setup, setSetup] = useState("");
  const [note, setNote] = useState("");
  const others = (d.objectives ?? []).slice(1).map((o) => o.name); // with several objectives a result has all of them
  const limited = Object.keys(d.limits ?? {}).filter((name) => name !== d.objective.name && !others.includes(name)); // without one of these it still has a value
  const [metrics, setMetrics] = useState<Record<string, string>>({});
  const given = [...others, ...limited.filter((name) => (metrics[name] ?? "").trim() !== "")];
  const also = Object.fromEntries(given.map((name) => [name, parseNumber(metrics[name] ?? "")]));
  const { busy, problem, send, forget } = useSend();
  const [key] = useState(newKey); // one for this form, so that a result sent twice counts once
  const v = parseNumber(value);
  const c = parseNumber(cost);
  const costGood = cost.trim() === "" ? came === "nothing" : c !== null && c >= 0;
  const s = parseNumber(setup);
  const setupGood = setup.trim() === "" || (s !== null && s >= 0);
  const good = costGood && setupGood && (came === "nothing" || (v !== null && Object.values(also).every((x) => x !== null)));
  const edit = (set: (t: string) => void) => (t: string) => {
    set(t);
    forget();
  };
  const submit = (e: Event) => {
    e.preventDefault();
    if (!good || busy) return;
    const changed = s === null ? {} : { setup: s };
    const paid = c === null ? changed : timed ? { cost: c, wall: c, ...changed } : { cost: c, ...changed };
    const more = note.trim() === "" ? {} : { note: note.trim() };
    void send(async () => {
      const t = came === "value" && v !== null ? await api.tell(study, trial, { value: v, ...paid, ...more, ...(given.length > 0 && { metrics: also as Record<string, number> }) }, key) : await api.fail(study, trial, { state: "failed", ...paid, ...more }, key);
      onDone(t, came === "value" ? `Saved trial ${t.number}: ${d.objective.name} ${number(t.value ?? 0)} for ${amount(d.cost, t.charged ?? 0)}.` : `Saved trial ${t.number} as failed, for ${amount(d.cost, t.charged ?? 0)}.`);
    });
  };
  return (
    <form onSubmit={submit} noValidate data-testid="result-form">
      <dl class="setting try" data-testid="try">
        {inputs(d).map((p) => (
          <div key={p.name}>
            <dt>{p.name}</dt>
            <dd>{trial.setting[p.name] === undefined ? <span class="faint">not used</span> : exact(trial.setting[p.name])}</dd>
          </div>
        ))}
        <div>
          <dt>reserved</dt>
          <dd>{amount(d.cost, trial.reserved ?? trial.charged ?? 0)}</dd>
        </div>
      </dl>
      <Choice
        label="outcome"
        value={came}
        onChange={setCame}
        testid="came"
        options={[
          { value: "value", text: "it has a result" },
          { value: "nothing", text: "it failed" },
        ]}
      />
      <div class="fields">
        {came === "value" && <NumberField label={d.objective.name} text={value} onText={edit(setValue)} testid="result-value" fault={faultAt(problem, "value")} />}
        {came === "value" && [...others, ...limited].map((name) => <NumberField key={name} label={[name, d.limits?.[name]?.unit].filter(Boolean).join(" in ")} optional={limited.includes(name)} text={metrics[name] ?? ""} onText={edit((text) => setMetrics({ ...metrics, [name]: text }))} testid={`result-${name}`} fault={faultAt(problem, `metrics.${name}`)} />)}
        <NumberField label={`Cost in ${d.cost.unit}`} text={cost} onText={edit(setCost)} testid="result-cost" fault={faultAt(problem, "cost")} least={0} optional={came === "nothing"} hint={came === "nothing" ? "If you leave it out, it is estimated." : ""} />
        {d.changeover && <NumberField label={`Of that for changes, in ${d.cost.unit}`} text={setup} onText={edit(setSetup)} testid="result-setup" fault={faultAt(problem, "setup")} least={0} optional />}
        <label class="field">
          <span>
            Note <span class="faint">(optional)</span>
          </span>
          <input value={note} maxLength={maxNote} onInput={(e) => edit(setNote)(e.currentTarget.value)} data-testid="result-note" />
          <span class="wrong">{faultAt(problem, "note")}</span>
        </label>
      </div>
      <Trouble problem={without(problem, ["value", "cost", "setup", "note"])} />
      <div class="buttons">
        <button type="submit" class="primary" disabled={!good || busy} data-testid="tell">
          {came === "value" ? "Save the result" : "Save as failed"}
        </button>
      </div>
    </form>
  );
}

// exact writes all digits that matter, because somebody has to set them on a machine.
function exact(v: Trial["setting"][string] | undefined): string {
  if (typeof v !== "number" || Number.isInteger(v)) return valueText(v);
  return String(Number(v.toPrecision(7)));
}
