import { useState } from "preact/hooks";
import { api } from "../api/client";
import type { Insight, Study, Trial } from "../api/types";
import { HeatMap } from "../charts/HeatMap";
import type { RampName } from "../charts/ramp";
import { settingText } from "../lib/format";
import { useLoad } from "../state/useLoad";
import { Card } from "./Card";
import { Choice } from "./Choice";
import { Loading } from "./Loading";
import { Trouble } from "./Trouble";

const few = 12; // parameters that can be listed

interface Props {
  study: Study;
  insight: Insight;
  trials: Trial[];
  version: string; // of the models
}

// HeatCard maps two parameters, at first the two that matter most: of numbers, if there are two, since a map of names has no lines.
export function HeatCard({ study, insight, trials, version }: Props) {
  const names = (insight.slices ?? []).map((s) => s.parameter);
  const rank = [...(insight.importance ?? [])].sort((x, y) => y.value.total - x.value.total).map((i) => i.parameter).filter((n) => names.includes(n));
  const isNumber = (n: string) => ["float", "int"].includes(study.definition.parameters.find((p) => p.name === n)?.type ?? "");
  const numbers = rank.filter(isNumber);
  const ordered = numbers.length >= 2 ? numbers : rank.length >= 2 ? rank : names;
  const [pair, set] = useState<{ a: string; b: string } | null>(null);
  const a = pair?.a ?? ordered[1] ?? "";
  const b = pair?.b ?? ordered[0] ?? "";
  const [of, setOf] = useState<RampName>("value");
  const { data, problem, busy } = useLoad((stop) => (a === "" || b === "" ? Promise.resolve(null) : api.heat(study.name, a, b, 40, stop)), [study.name, a, b, version]);
  if (names.length < 2) return null;
  const others = study.definition.parameters.filter((p) => p.name !== a && p.name !== b);
  const rest = settingText(others, data?.at ?? {});
  const pick = (which: "a" | "b", name: string) => {
    const other = which === "a" ? b : a;
    const was = which === "a" ? a : b;
    const swap = name === other; // the two change places
    set(which === "a" ? { a: name, b: swap ? was : b } : { a: swap ? was : a, b: name });
  };
  const select = (which: "a" | "b", value: string, label: string) => (
    <label class="inline">
      {label}{" "}
      <select value={value} onChange={(e) => pick(which, e.currentTarget.value)} data-testid={`heat-${which}`}>
        {names.map((n) => (
          <option key={n} value={n}>
            {n}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <Card id="heat" title="Two parameters at once" say={`${rest === "" ? "" : `All others stay as in the best trial${others.length > few ? "" : `: ${rest}`}. `}Dots are trials${rest === "" ? "" : ", whatever their other parameters"}. The ring is the best. ${of === "value" ? "Bright means good. " : ""}${isNumber(a) && isNumber(b) ? "Along a line it stays the same." : ""}`}>
      <div class="controls">
        {select("b", b, "across")}
        {select("a", a, "up")}
        <Choice
          label="show"
          value={of}
          onChange={setOf}
          testid="heat-of"
          options={[
            { value: "value", text: study.definition.objective.name },
            { value: "sd", text: "its uncertainty" },
            { value: "cost", text: "cost" },
          ]}
        />
        {busy && data && <span class="spinner" aria-hidden="true" />}
      </div>
      <Trouble problem={problem} />
      {!data && busy && <Loading what="drawing the map" />}
      {data && !problem && <HeatMap definition={study.definition} heat={data} of={of} trials={trials} best={study.best?.number ?? null} />}
    </Card>
  );
}
