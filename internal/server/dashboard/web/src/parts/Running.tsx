import type { Study, Trial } from "../api/types";
import { amount, clock, isOpen, settingText } from "../lib/format";
import { studyPath } from "../lib/router";
import { useNow } from "../state/useNow";
import { Card } from "./Card";
import { Link } from "./Link";

// Running shows the open trials, with a running clock.
export function Running({ study, trials }: { study: Study; trials: Trial[] }) {
  const open = trials.filter(isOpen);
  const now = useNow(open.length > 0);
  const d = study.definition;
  if (open.length === 0) return null;
  return (
    <Card id="running" title={`Running now: ${open.length}`}>
      <div class="scroll">
        <table class="plain running" data-testid="running-table">
          <thead>
            <tr>
              <th scope="col" class="n">trial</th>
              <th scope="col">state</th>
              <th scope="col" class="n">for</th>
              <th scope="col" class="n">reserved</th>
              <th scope="col">worker</th>
              <th scope="col">setting</th>
            </tr>
          </thead>
          <tbody>
            {open.map((t) => (
              <tr key={t.number} data-testid={`running-${t.number}`}>
                <td class="n">
                  <Link to={studyPath(study.name, "trials", t.number)}>{t.number}</Link>
                </td>
                <td>
                  <span class={`pill ${t.queued ? "pending" : t.state}`}>
                    <i aria-hidden="true" />
                    {t.queued ? "queued" : t.state}
                  </span>
                  {t.queued && <span class="small"> {t.queued}</span>}
                </td>
                <td class="n">{clock((now - Date.parse(t.started ?? t.asked)) / 1000)}</td>
                <td class="n">{amount(d.cost, t.reserved ?? 0)}</td>
                <td>{(t.runner ?? "–").replace(/^lease-/, "")}</td>
                <td class="wrap">{settingText(d.parameters, t.setting)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}
