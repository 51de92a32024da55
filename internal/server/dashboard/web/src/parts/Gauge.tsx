import type { Cost, Ledger, Spending } from "../api/types";
import { accountWords, parts } from "../lib/course";
import { amount, percent, share } from "../lib/format";

interface Props {
  ledger: Ledger;
  cost: Cost;
  on: Spending | null;
  small?: boolean;
}

// Gauge draws the parts of the budget to scale.
export function Gauge({ ledger, cost, on, small = false }: Props) {
  const list = parts(ledger, on);
  const sum = list.reduce((s, p) => s + p.money, 0);
  return (
    <div class={small ? "gaugebox small" : "gaugebox"}>
      <div class="gauge" role="img" aria-label={accountWords(cost, ledger)} data-testid="gauge" data-spent={ledger.spent} data-total={ledger.total}>
        {list.map((p) => sum > 0 && p.money > 0 && <i key={p.kind} class={p.kind} style={{ width: `${(100 * p.money) / sum}%` }} data-tip={`${p.name}: ${amount(cost, p.money)}`} />)}
      </div>
      {small ? (
        <span class="faint">
          {share(cost, ledger.spent, ledger.total)} · {percent(ledger.total > 0 ? ledger.spent / ledger.total : 0)}
        </span>
      ) : (
        <ul class="parts">
          {list.map((p) => (
            <li key={p.kind} data-testid={`part-${p.kind}`}>
              <i class={p.kind} />
              {p.name} <b>{amount(cost, p.money)}</b>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
