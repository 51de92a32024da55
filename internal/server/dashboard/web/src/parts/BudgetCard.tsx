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
    ["enough for", b ? (b.trials < 1 ? "less than one more trial" : `about ${plural(Math.round(b.trials), "trial")} of ${amount(cost, b.cost_each)} each`) : "unknown until a trial has a result", "buys"],
    ["trials", tally(study.counts), "counts"],
  ];
  if (study.spent_at) facts.push(["spent at", study.spent_at, "spent-at"]);
  if (study.saved) facts.push(["saved", study.saved, "saved"]);
  if (budget.per_trial) facts.push(["limit per trial", amount(cost, budget.per_trial)]);
  facts.push(["policy", study.policy.why ? `${study.policy.name}: ${study.policy.why}` : study.policy.name]);
  facts.push(["time", `${duration(study.time.evaluating)} running, ${duration(study.time.thinking)} choosing`]);
  if (study.start) facts.push(["started from", study.start, "start-from"]);
  facts.push(["created", moment(study.created)]);
  return (
    <Card id="budget" title="Budget">
      <Gauge ledger={study.ledger} cost={cost} trials={trials} />
      <Facts list={facts} />
    </Card>
  );
}
