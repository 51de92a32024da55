import { useMemo, useState } from "preact/hooks";
import { api } from "../api/client";
import { newKey } from "../api/http";
import type { Study } from "../api/types";
import { plural } from "../lib/format";
import { useSend } from "../state/useSend";
import { NumberField, parseNumber } from "./NumberField";
import { Said } from "./Said";
import { SettingFields, settingOf, type Texts, textsOf } from "./SettingFields";
import { TextField } from "./TextField";
import { Trouble } from "./Trouble";

// OwnForm has a setting of one's own tried next. Where known is set, it also takes over a result that is known already.
export function OwnForm({ study, known: mayKnow, onAdded }: { study: Study; known: boolean; onAdded?: () => void }) {
  const d = study.definition;
  const [texts, setTexts] = useState<Texts>({});
  const [value, setValue] = useState("");
  const [cost, setCost] = useState("");
  const [note, setNote] = useState("");
  const [said, say] = useState("");
  const [sent, again] = useState(0);
  const key = useMemo(newKey, [texts, note, sent]); // a second try must not add the setting twice
  const { busy, problem, send, forget } = useSend();
  const others = (d.objectives ?? []).slice(1).map((o) => o.name); // with several objectives a result has all of them
  const limited = Object.keys(d.limits ?? {}).filter((name) => name !== d.objective.name && !others.includes(name)); // without one of these it still has a value
  const [metrics, setMetrics] = useState<Texts>({});
  const isGiven = (name: string) => (metrics[name] ?? "").trim() !== "";
  const known = value.trim() !== "" || others.some(isGiven);
  const given = [...others, ...limited.filter(isGiven)];
  const also = Object.fromEntries(given.map((name) => [name, parseNumber(metrics[name] ?? "")]));
  const submit = () => {
    const setting = settingOf(d.parameters, texts);
    say("");
    void send(async () => {
      if (!known) {
        await api.enqueue(study, { setting, ...(note.trim() !== "" && { note: note.trim() }) }, key);
        again((n) => n + 1);
        say(study.waiting > 0 ? `It is in the queue, behind ${plural(study.waiting, "other")}.` : "It is tried next.");
        onAdded?.();
      } else {
        const done = await api.importResults(study, { results: [{ setting, value: parseNumber(value) ?? 0, cost: parseNumber(cost) ?? 0, ...(given.length > 0 && { metrics: also as Record<string, number> }) }] });
        const refused = done.refused[0];
        say(refused ? `It was left out: ${refused.problem}` : done.added > 0 ? "The study knows this result now. It cost nothing." : "The study knew this result already.");
      }
    });
  };
  const fine = Object.values(texts).some((t) => t !== "") && (!known || (parseNumber(value) !== null && Object.values(also).every((x) => x !== null))) && (cost.trim() === "" || (parseNumber(cost) ?? -1) >= 0);
  return (
    <form
      onSubmit={(e) => {
        e.preventDefault();
        if (fine && !busy) submit();
      }}
      onInput={forget}
      data-testid="own-form"
    >
      <SettingFields params={d.parameters} texts={texts} onTexts={setTexts} />
      <TextField label="Note" optional text={note} onText={setNote} testid="own-note" />
      {mayKnow && <NumberField label={d.objective.name} text={value} onText={setValue} testid="own-value" optional hint="only if you know it already" />}
      {mayKnow && (known || others.length > 0) && [...others, ...limited].map((name) => <NumberField key={name} label={[name, d.limits?.[name]?.unit].filter(Boolean).join(" in ")} text={metrics[name] ?? ""} onText={(text) => setMetrics({ ...metrics, [name]: text })} testid={`own-result-${name}`} optional={!known || limited.includes(name)} />)}
      {mayKnow && (known || others.length > 0) && <NumberField label={`cost in ${d.cost.unit}`} text={cost} onText={setCost} testid="own-cost" least={0} optional />}
      <Trouble problem={problem} />
      <div class="buttons">
        <button type="submit" class="primary" disabled={busy || !fine} data-testid="own-submit">
          {known ? "Add this result" : "Try it next"}
        </button>
        {study.best && (
          <button type="button" onClick={() => study.best && setTexts(textsOf(d.parameters, study.best.setting))} data-testid="own-best">
            Fill in the best setting
          </button>
        )}
      </div>
      <Said text={said} testid="own-said" />
    </form>
  );
}
