import type { Study } from "../api/types";
import { amount, duration, moment } from "../lib/format";
import { tally } from "../lib/words";
import { Card } from "./Card";
import { type Fact, Facts } from "./Facts";
import { Gauge } from "./Gauge";

export function BudgetCard({ study }: { study: Study }) {
  const { cost, budget } = study.definition;
  const b = study.buys;
  const facts: Fact[] = [
    ["total", amount(cost, study.ledger.total)],
    ["enough for", b ? b.words : `unknown until a ${study.definition.fidelity ? "full " : ""}trial has a result`, "buys"],
    ["trials", tally(study.counts), "counts"],
  ];
  if (study.spent_at) facts.push(["spent at", study.spent_at, "spent-at"]);
  if (study.changes) facts.push(["changes", study.changes.words, "changes"]);
  if (study.saved) facts.push(["saved", study.saved, "saved"]);
  if (budget.per_trial) facts.push(["limit per trial", amount(cost, budget.per_trial)]);
  facts.push(["policy", study.policy.why ? `${study.policy.name}: ${study.policy.why}` : study.policy.name]);
  facts.push(["time", `${duration(study.time.evaluating)} running, ${duration(study.time.thinking)} choosing`]);
  if (study.start) facts.push(["started from", study.start, "start-from"]);
  facts.push(["created", moment(study.created)]);
  return (
    <Card id="budget" title="Budget">
      <Gauge ledger={study.ledger} cost={cost} on={study.spending} />
      <Facts list={facts} />
    </Card>
  );
}
