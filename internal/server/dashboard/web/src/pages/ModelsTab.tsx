import { useState } from "preact/hooks";
import type { Study, Trial } from "../api/types";
import { ForecastChart } from "../charts/ForecastChart";
import { ImportanceChart } from "../charts/ImportanceChart";
import { isEnded, plural } from "../lib/format";
import { Card } from "../parts/Card";
import { HeatCard } from "../parts/HeatCard";
import { Loading } from "../parts/Loading";
import { NoTrials } from "../parts/NoTrials";
import { SlicesCard } from "../parts/SlicesCard";
import { Trouble } from "../parts/Trouble";
import { useInsight } from "../state/useInsight";
import { useQuiet } from "../state/useQuiet";

interface Props {
  study: Study;
  trials: Trial[];
  selected: number | null;
}

const crowd = 1500; // the work grows with the cube of the number of trials

export function ModelsTab({ study, trials, selected }: Props) {
  const ended = trials.filter(isEnded).length;
  const [anyway, fit] = useState(false);
  const wanted = ended <= crowd || anyway;
  const { data, problem, busy, at } = useInsight(study.name, `${ended} ${useQuiet(study, trials)}`, wanted);
  const d = study.definition;
  if (trials.length === 0) return <NoTrials study={study} />;
  if (!wanted) {
    return (
      <div class="card empty" data-testid="many-to-fit">
        <h2>What the models have learnt</h2>
        <p>It takes many minutes to fit models to {plural(ended, "trial")}, and the server may give up. Other studies have to wait meanwhile.</p>
        <p>
          <button type="button" onClick={() => fit(true)} data-testid="fit">
            Fit them anyway
          </button>
        </p>
      </div>
    );
  }
  if (!data) return problem ? <Trouble problem={problem} /> : busy ? <Loading what="fitting the models" /> : null;
  const from = data.looks ? `${plural(data.observed, "full evaluation")} and ${plural(data.looks, "look")}` : plural(data.observed, "trial");
  const learnt = `Learnt from ${from}${busy ? "; updating" : ""}.`;
  const forecasts = data.forecasts ?? [];
  return (
    <>
      <Trouble problem={problem} />
      {data.state !== "ready" && (
        <div class="card empty" data-testid="not-enough">
          <h2>What the models have learnt</h2>
          <p>Nothing to show yet: {data.missing ?? "there are too few trials"}.</p>
        </div>
      )}
      {data.importance && data.importance.length > 0 && (
        <Card
          id="importance-card"
          title="What each parameter does"
          say={`How much of the variation comes from each parameter, according to the models: by itself (solid) and together with others (pale). The words say how value and cost change near the best setting as the parameter grows. ${learnt}`}
        >
          <ImportanceChart objective={d.objective.name} others={(d.objectives ?? []).slice(1).map((o) => o.name)} list={data.importance} />
        </Card>
      )}
      {data.state === "ready" && <SlicesCard study={study} insight={data} trials={trials} selected={selected} learnt={learnt} />}
      {data.state === "ready" && <HeatCard study={study} insight={data} trials={trials} version={at} />}
      {forecasts.length > 0 && (
        <Card id="forecasts" title="Forecasts and results" say="The forecast for each trial when it was chosen, and its result. On the dashed line, the forecast was right. Bars cover 80% of the expected outcomes.">
          <div class="grid two">
            <ForecastChart definition={d} of="value" list={forecasts} />
            <ForecastChart definition={d} of="cost" list={forecasts} />
          </div>
        </Card>
      )}
    </>
  );
}
