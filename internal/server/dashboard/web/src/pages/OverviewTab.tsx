import { useEffect } from "preact/hooks";
import type { Study, Trial } from "../api/types";
import { BurnChart } from "../charts/BurnChart";
import { FrontChart } from "../charts/FrontChart";
import { LearningChart } from "../charts/LearningChart";
import { MetricChart } from "../charts/MetricChart";
import { MoneyChart } from "../charts/MoneyChart";
import { TradeChart } from "../charts/TradeChart";
import type { CourseStep } from "../lib/course";
import { finished } from "../lib/finish";
import { isOpen } from "../lib/format";
import { metricNames } from "../lib/metrics";
import { studyPath } from "../lib/router";
import { restWords, sentence } from "../lib/words";
import { BestCard } from "../parts/BestCard";
import { BudgetCard } from "../parts/BudgetCard";
import { Card } from "../parts/Card";
import { LabelsCard } from "../parts/LabelsCard";
import { Later } from "../parts/Later";
import { Link } from "../parts/Link";
import { NoTrials } from "../parts/NoTrials";
import { QueueCard } from "../parts/QueueCard";
import { Running } from "../parts/Running";
import { WhyCard } from "../parts/WhyCard";
import { useQuiet } from "../state/useQuiet";
import { useRest } from "../state/useRest";

interface Props {
  study: Study;
  trials: Trial[];
  steps: CourseStep[];
  apply: (s: Study) => void;
}

// Finished says that a study is over, and why.
function Finished({ study }: { study: Study }) {
  const why = finished(study);
  return why === "" ? null : (
    <p class="note" role="status" data-testid="finished">
      <b>{study.closed ? "Ended." : "Finished."}</b> {why}
    </p>
  );
}

export function OverviewTab({ study, trials, steps, apply }: Props) {
  const d = study.definition;
  const last = trials[trials.length - 1];
  const quiet = useQuiet(study, trials);
  const { rest, finished: foreseen } = useRest(study.name, `${steps.length} ${study.ledger.total} ${study.closed} ${quiet}`);
  // The server remembers what the forecast says about the end, but nothing has happened that it would tell everybody.
  const over = foreseen && !study.finished && !trials.some(isOpen);
  useEffect(() => {
    if (over) apply({ ...study, finished: foreseen });
  }, [over]);
  if (!last) {
    return (
      <>
        <Finished study={study} />
        <NoTrials study={study} />
        <BudgetCard study={study} />
        <QueueCard study={study} />
        <LabelsCard study={study} apply={apply} />
      </>
    );
  }
  return (
    <>
      <Finished study={study} />
      <div class="top">
        <BestCard study={study} />
        <BudgetCard study={study} />
      </div>
      <Running study={study} trials={trials} />
      <QueueCard study={study} />
      {d.objectives && (
        <Card id="front" title="Front" say={`Every dot is a trial. ${study.front?.expected ? "The front is that of what the models expect of the settings: its trials are bright, where they are expected. The others are faded, where they were seen." : "Those that no other dominates are bright, the others are faded."} The band is where the rest of the money may move the front.`}>
          <FrontChart study={study} aims={d.objectives} trials={trials} rest={rest} />
        </Card>
      )}
      <Card id="money" title={study.best?.estimate ? "Values against money spent" : "Best value against money spent"}>
        {rest && (
          <p class="say" data-testid="rest">
            {sentence(restWords(d.objective.name, d.cost, rest))}
          </p>
        )}
        {steps.length === 0 ? <p class="say">No trial has ended yet.</p> : <MoneyChart definition={d} ledger={study.ledger} steps={steps} rest={rest?.of ? null : rest} estimate={study.best?.estimate} />}
      </Card>
      <Later>
        {d.fidelity && trials.some((t) => t.steps?.length) && (
          <Card id="learning" title="Learning curves" say="Each line is a trial that reported values on its way. Grey lines were stopped early or do not count; the best is orange.">
            <LearningChart definition={d} trials={trials} best={study.best?.number ?? null} />
          </Card>
        )}
        {metricNames(d, trials).length > 0 && (
          <Card id="metrics" title="Other numbers" say="Every dot is a trial: its value against another number that it reported. Dashed lines are limits; trials that do not count are faded.">
            <MetricChart definition={d} trials={trials} />
          </Card>
        )}
        <Card id="trade" title="What a cheaper setting loses" say="Every dot is a trial. The line is the front: no other trial is both cheaper and better than one on it.">
          <TradeChart study={study.name} definition={d} trials={trials} />
        </Card>
        <div class="top even">
          <Card id="burn" title="Burn-down">
            {steps.length === 0 ? <p class="say">No trial has ended yet.</p> : <BurnChart definition={d} ledger={study.ledger} steps={steps} />}
          </Card>
          <WhyCard
            study={study}
            trial={last}
            trials={trials}
            title={`Why trial ${last.number}`}
            aside={
              <Link to={studyPath(study.name, "trials", last.number)} class="small">
                all trials
              </Link>
            }
          />
        </div>
        <LabelsCard study={study} apply={apply} />
      </Later>
    </>
  );
}
