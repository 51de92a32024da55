import type { Study, Trial } from "../api/types";
import { amount, clock, inputs, isOpen, settingText } from "../lib/format";
import { stateWord } from "../lib/state";
import { studyPath } from "../lib/router";
import { useNow } from "../state/useNow";
import { Card } from "./Card";
import { Head } from "./Head";
import { Link } from "./Link";

// Running shows the open trials, with a running clock.
export function Running({ study, trials }: { study: Study; trials: Trial[] }) {
  const open = trials.filter(isOpen);
  const now = useNow(open.length > 0);
  const d = study.definition;
  const queued = open.filter((t) => t.queued).length;
  const running = open.length - queued;
  if (open.length === 0) return null;
  return (
    <Card id="running" title={[running > 0 ? `Running now: ${running}` : "", queued > 0 ? `${running > 0 ? "queued" : "Queued"}: ${queued}` : ""].filter(Boolean).join(", ")} say={queued > 0 && "What is queued waits for its turn on the cluster, and costs nothing yet."}>
      <div class="scroll">
        <table class="plain stacked" data-testid="running-table">
          <Head list={[{ n: "trial" }, "state", { n: "for" }, { n: "reserved" }, "worker", "setting"]} />
          <tbody>
            {open.map((t) => (
              <tr key={t.number} data-testid={`running-${t.number}`}>
                <td class="n">
                  <Link to={studyPath(study.name, "trials", t.number)}>{t.number}</Link>
                </td>
                <td>
                  <span class={`pill ${stateWord(t)}`}>
                    <i aria-hidden="true" />
                    {stateWord(t)}
                  </span>
                  {t.queued && (
                    <span class="because small" data-testid={`queued-${t.number}`}>
                      {t.queued}
                    </span>
                  )}
                </td>
                <td class="n">{clock((now - Date.parse(t.started ?? t.asked)) / 1000)}</td>
                <td class="n">{amount(d.cost, t.reserved ?? 0)}</td>
                <td>{(t.runner ?? "–").replace(/^lease-/, "")}</td>
                <td class="wrap">{settingText(inputs(d), t.setting)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}
