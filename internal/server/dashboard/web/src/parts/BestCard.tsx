import type { Study } from "../api/types";
import { amount, estimate, inputs, number, percent, seen } from "../lib/format";
import { studyPath } from "../lib/router";
import { SettingFacts } from "./Facts";
import { sentence } from "../lib/words";
import { Link } from "./Link";

export function BestCard({ study }: { study: Study }) {
  const d = study.definition;
  const best = study.best;
  const e = best?.estimate;
  const [value, band] = e ? estimate(e.value, e.low, e.high) : [number(best?.value ?? 0), ""];
  return (
    <section class="card best" aria-labelledby="best-title" data-testid="best">
      <h2 id="best-title">
        Best{d.objectives && ` ${d.objective.name}`}{best && (best.known ? ": known before" : <>: <Link to={studyPath(study.name, "trials", best.number)}>trial {best.number}</Link></>)}
      </h2>
      {best ? (
        <>
          <p class="big" data-testid="best-value" data-value={best.value ?? 0}>
            {value} <small>{d.objective.name}</small>
          </p>
          {e && (
            <p class="faint" data-testid="best-estimate">
              {band === "" ? "expected" : `expected, ${band}`}; {seen(e.values)}
            </p>
          )}
          {study.hurts && (
            <p class="faint" data-testid="best-hurts">
              {study.hurts}
            </p>
          )}
          {(!best.known || (best.charged ?? 0) > 0) && (
            <p class="faint">
              cost {amount(d.cost, best.charged ?? 0)}, {best.known ? "not paid by this study" : `${percent((best.charged ?? 0) / study.ledger.total)} of the budget`}
            </p>
          )}
          {best.metrics && (
            <p class="faint" data-testid="best-metrics">
              {Object.entries(best.metrics).map(([name, x]) => `${name} ${[number(x), d.limits?.[name]?.unit].filter(Boolean).join(" ")}`).join(", ")}
            </p>
          )}
          <SettingFacts params={inputs(d)} setting={best.setting} />
        </>
      ) : (
        <>
          <p class="big faint">none yet</p>
          <p class="faint" data-testid="no-best">{study.infeasible ? sentence(study.infeasible) : "No trial within the budget has a result."}</p>
        </>
      )}
    </section>
  );
}
