import { useState } from "preact/hooks";
import { api, newKey } from "../api/client";
import type { Param, Setting, Study } from "../api/types";
import { useSend } from "../state/useSend";
import { Card } from "./Card";
import { NumberField, parseNumber } from "./NumberField";
import { Trouble } from "./Trouble";

// read turns what was typed into a value of the parameter; undefined: nothing was typed.
function read(p: Param, text: string): string | number | boolean | undefined {
  const t = text.trim();
  if (t === "") return undefined;
  if (p.type === "bool") return t === "true";
  const listed = (p.values ?? []).find((v) => String(v) === t);
  return listed ?? parseNumber(t) ?? t;
}

// OwnCard has a setting of one's own tried next, or takes over a result that is known already.
export function OwnCard({ study }: { study: Study }) {
  const params = study.definition.parameters.filter((p) => p.type !== "fixed");
  const [texts, setTexts] = useState<Record<string, string>>({});
  const [value, setValue] = useState("");
  const [cost, setCost] = useState("");
  const [said, say] = useState("");
  const [key, setKey] = useState(newKey);
  const { busy, problem, send, forget } = useSend();
  const known = value.trim() !== "";
  const submit = () => {
    const setting: Setting = {};
    for (const p of params) {
      const v = read(p, texts[p.name] ?? "");
      if (v !== undefined) setting[p.name] = v;
    }
    say("");
    void send(async () => {
      if (!known) {
        const item = await api.enqueue(study.name, setting, key);
        setKey(newKey());
        say(`It is number ${item.number} in the queue, and is tried next.`);
      } else {
        const done = await api.importResults(study.name, { results: [{ setting, value: parseNumber(value) ?? 0, cost: parseNumber(cost) ?? 0 }] });
        const refused = done.refused[0];
        say(refused ? `It was left out: ${refused.problem}` : done.added > 0 ? "The study knows this result now. It cost nothing." : "The study knew this result already.");
      }
    });
  };
  const fine = (!known || parseNumber(value) !== null) && (cost.trim() === "" || (parseNumber(cost) ?? -1) >= 0);
  return (
    <Card id="own-card" title="A setting of your own" say="Have it tried next, under the budget. If you know its result already, enter that as well: the study learns from it, and pays nothing.">
      <form
        onSubmit={(e) => {
          e.preventDefault();
          if (fine) submit();
        }}
        onInput={forget}
      >
        {params.map((p) => (
          <label class="field" key={p.name}>
            <span>
              {p.name}
              {(p.default !== undefined || (p.when ?? []).length > 0) && <span class="faint"> (optional)</span>}
            </span>
            <input type="text" autocomplete="off" value={texts[p.name] ?? ""} onInput={(e) => setTexts({ ...texts, [p.name]: e.currentTarget.value })} data-testid={`own-${p.name}`} />
          </label>
        ))}
        <NumberField label={study.definition.objective.name} text={value} onText={setValue} testid="own-value" optional hint="only if you know it already" />
        {known && <NumberField label={`cost in ${study.definition.cost.unit}`} text={cost} onText={setCost} testid="own-cost" least={0} optional />}
        <button type="submit" class="primary" disabled={busy || study.closed || !fine} data-testid="own-submit">
          {known ? "Add this result" : "Try it next"}
        </button>
      </form>
      <Trouble problem={problem} />
      {said !== "" && (
        <p class="good" role="status" data-testid="own-said">
          {said}
        </p>
      )}
    </Card>
  );
}
