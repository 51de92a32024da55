import type { Study, Trial } from "../api/types";
import { amount, duration, moment, plural } from "../lib/format";
import { tally } from "../lib/words";
import { Card } from "./Card";
import { type Fact, Facts } from "./Facts";
import { Gauge } from "./Gauge";

export function BudgetCard({ study, trials }: { study: Study; trials: Trial[] }) {
  const { cost, budget } = study.definition;
  const b = study.buys;
  const facts: Fact[] = [
    ["total", amount(cost, study.ledger.total)],
    ["the rest buys", b ? (b.trials < 1 ? "no further trial of the usual kind" : `about ${plural(Math.round(b.trials), "trial")} of ${amount(cost, b.cost_each)} each`) : "not known before a trial has returned a value", "buys"],
    ["trials", tally(study.counts), "counts"],
  ];
  if (budget.per_trial) facts.push(["limit of a trial", amount(cost, budget.per_trial)]);
  facts.push(["policy", study.policy.why ? `${study.policy.name}: ${study.policy.why}` : study.policy.name]);
  if (study.time) facts.push(["time", `${duration(study.time.evaluating)} trying, ${duration(study.time.thinking)} choosing`]);
  facts.push(["created", moment(study.created)]);
  return (
    <Card id="budget" title="Budget">
      <Gauge ledger={study.ledger} cost={cost} trials={trials} />
      <Facts list={facts} />
    </Card>
  );
}
