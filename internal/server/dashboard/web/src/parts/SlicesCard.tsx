import { useMemo } from "preact/hooks";
import { api } from "../api/client";
import type { Insight, Slice, Study, Trial, Value } from "../api/types";
import { SliceChart, sliceRange } from "../charts/SliceChart";
import { isEnded } from "../lib/format";
import { go, studyPath } from "../lib/router";
import { useLoad } from "../state/useLoad";
import { Card } from "./Card";
import { Loading } from "./Loading";
import { SettingLine } from "./SettingLine";
import { Some } from "./Some";
import { Trouble } from "./Trouble";

interface Props {
  study: Study;
  insight: Insight;
  trials: Trial[];
  selected: number | null;
  learnt: string;
}

const mostStrokes = 400;

// SlicesCard shows the models along each parameter, through the best trial or a chosen one.
export function SlicesCard({ study, insight, trials, selected, learnt }: Props) {
  const d = study.definition;
  const chosen = selected === null || selected === insight.best ? undefined : trials.find((t) => t.number === selected);
  const own = useLoad(
    (stop) => {
      if (!chosen) return Promise.resolve(null);
      const exist = d.parameters.filter((p) => p.type !== "fixed" && chosen.setting[p.name] !== undefined && (p.type !== "float" || p.min !== p.max));
      return Promise.all(exist.map((p) => api.slice(study.name, p.name, chosen.setting, stop)));
    },
    [study.name, chosen?.number, insight],
    chosen?.number,
  );
  const found = (chosen ? own.data : insight.slices) ?? [];
  const slices = useMemo(() => byImportance(found, insight), [found, insight]);
  const ranges = useMemo(() => ({ value: sliceRange("value", slices, trials, d.objective.goal), cost: sliceRange("cost", slices, trials, d.objective.goal) }), [slices, trials, d]);
  const tried = useMemo(() => {
    const ended = trials.filter(isEnded).slice(-mostStrokes);
    return (name: string): Value[] => ended.map((t) => t.setting[name]).filter((v) => v !== undefined);
  }, [trials]);
  const through = chosen?.setting ?? insight.through;
  return (
    <Card
      id="slices"
      title={chosen ? `Around trial ${chosen.number}` : "Around the best setting"}
      say={`One parameter varies, and all others stay the same. Bands cover 80% of the expected outcomes. Marks at the bottom are values that were tried. ${learnt}`}
      aside={
        <label class="inline">
          through{" "}
          <select data-testid="slice-through" value={chosen ? String(chosen.number) : ""} onChange={(e) => go(studyPath(study.name, "models", e.currentTarget.value === "" ? null : Number(e.currentTarget.value)), { replace: true, keep: true })}>
            <option value="">the best{insight.best ? ` (trial ${insight.best})` : ""}</option>
            {options(trials, chosen).map((t) => (
              <option key={t.number} value={t.number}>
                trial {t.number}
              </option>
            ))}
          </select>
        </label>
      }
    >
      <Trouble problem={chosen ? own.problem : null} />
      {through && <SettingLine params={d.parameters} setting={through} />}
      {chosen && own.busy && !own.data && <Loading what="drawing" />}
      <Some list={slices} most={few} what="slices">
        {(shown) => (
          <div class="pairs">
            {shown.map((s) => (
              <figure key={s.parameter} class="pair">
                <SliceChart definition={d} slice={s} of="value" tried={tried(s.parameter)} range={ranges.value} />
                <SliceChart definition={d} slice={s} of="cost" tried={tried(s.parameter)} range={ranges.cost} />
              </figure>
            ))}
          </div>
        )}
      </Some>
    </Card>
  );
}

const few = 12; // slices that are found at a glance, in the order of the study file

// byImportance puts the parameters that matter most first, if there are many.
function byImportance(slices: Slice[], insight: Insight): Slice[] {
  const weight = new Map((insight.importance ?? []).map((i) => [i.parameter, i.value.total + i.cost.total]));
  return slices.length <= few ? slices : slices.toSorted((a, b) => (weight.get(b.parameter) ?? 0) - (weight.get(a.parameter) ?? 0));
}

// options are the newest trials. Older ones can be chosen in the table.
function options(trials: Trial[], chosen: Trial | undefined): Trial[] {
  const list = trials.slice(-100).reverse();
  return chosen && !list.some((t) => t.number === chosen.number) ? [chosen, ...list] : list;
}
