// Whether a study is finished, and why, in words. The server knows.
import type { Study } from "../api/types";
import { amount, isOne, isTime } from "./format";
import { sentence } from "./words";

// finished says why a study hands out no more trials; "" if it does.
export function finished(study: Study): string {
  const end = study.finished;
  if (!end) return "";
  const unspent = study.left > 1e-6 * study.ledger.total && end.code !== "not_worth" && end.code !== "budget_spent" ? ` ${amount(study.definition.cost, study.left)} ${isOne(study.left) && !isTime(study.definition.cost) ? "stays" : "stay"} unspent.` : "";
  return sentence(end.reason) + unspent;
}
