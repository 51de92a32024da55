import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { api } from "../api/client";
import type { Study, Trial } from "../api/types";
import { PlanPath } from "../charts/PlanPath";
import { bestBefore } from "../lib/course";
import { amount, settingText } from "../lib/format";
import { chosenWords, expectedWords, planWords, sentence, valueWords } from "../lib/words";
import { useLoad } from "../state/useLoad";
import { Card } from "./Card";
import { Loading } from "./Loading";

interface Props {
  study: Study;
  trial: Trial;
  trials: Trial[];
  title: string;
  aside?: ComponentChildren;
}

// WhyCard says why a trial was chosen, in words and as the planned path.
export function WhyCard({ study, trial, trials, title, aside }: Props) {
  const d = study.definition;
  const { data, problem, busy } = useLoad(async (stop) => trial.why ?? (await api.why(study.name, trial.number, stop)), [study.name, trial.number], trial.number);
  const noisy = study.best?.estimate !== undefined; // then the best observation is luck, and what was expected then is not on record
  const best = useMemo(() => (noisy || !data?.expected ? null : bestBefore(d.objective.goal, trials, trial)), [d, trials, trial, noisy, data]);
  const plan = data ? planWords(d, data) : "";
  return (
    <Card id="why" title={title} aside={aside}>
      {busy && !data && <Loading what="loading the reasons" />}
      {problem && <p class="say">{problem.status === 404 ? "The reasons for this trial are not on record." : problem.message}</p>}
      {data && (
        <>
          <p class="say" data-testid="why-words">
            {sentence(chosenWords(data.policy, data.picked))} {data.expected && sentence(expectedWords(d.objective.name, d.cost, data.expected, d.budget.per_trial))} {plan}
            {data.cut_short && " The search was cut short."}
          </p>
          {data.expected && <PlanPath definition={d} why={data} setting={trial.setting} best={best} />}
          {(data.next?.length ?? 0) > 0 && (
            <ol class="steps" start={2} data-testid="plan-steps">
              {data.next?.map((s, k) => (
                <li key={k}>
                  {settingText(d.parameters, s.setting)}{" "}
                  <span class="faint">
                    {valueWords(s.expected)} for {amount(d.cost, s.expected.cost)}
                  </span>
                </li>
              ))}
            </ol>
          )}
        </>
      )}
    </Card>
  );
}
