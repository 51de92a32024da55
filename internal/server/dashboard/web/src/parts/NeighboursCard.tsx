import { api } from "../api/client";
import type { Neighbour, Study, Trial } from "../api/types";
import { amount, isEnded, number, valueText } from "../lib/format";
import { studyPath } from "../lib/router";
import { useLoad } from "../state/useLoad";
import { Card } from "./Card";
import { Head } from "./Head";
import { Link } from "./Link";
import { Loading } from "./Loading";
import { Trouble } from "./Trouble";

// NeighboursCard lists the settings nearest to a trial's: what became of those that differ little.
export function NeighboursCard({ study, trial, trials }: { study: Study; trial: Trial; trials: Trial[] }) {
  const d = study.definition;
  const ended = trials.filter(isEnded).length;
  const { data, problem, busy } = useLoad((stop) => api.neighbours(study.name, trial.number, stop), [study.name, trial.number, ended, study.known], trial.number);
  const differs = (n: Neighbour) =>
    n.differs.length === 0 ? "nothing" : n.differs.map((p) => `${p} ${valueText(n.setting[p])}${trial.setting[p] === undefined ? "" : ` (here ${valueText(trial.setting[p])})`}`).join(", ");
  return (
    <Card id="neighbours" title="Its neighbours" say="The settings nearest to this one, nearest first, as the models see them.">
      <Trouble problem={problem} />
      {busy && !data && <Loading what="looking for neighbours" />}
      {data && data.length === 0 && <p class="say">No other setting has a result yet.</p>}
      {data && data.length > 0 && (
        <div class="scroll">
          <table class="plain stacked">
            <Head list={["trial", { n: d.objective.name }, { n: "cost" }, { n: "distance" }, "differs in"]} />
            <tbody>
              {data.map((n) => (
                <tr key={`${n.known} ${n.number}`} data-testid="neighbour" {...(!n.known && { "data-trial": n.number })}>
                  <td data-name={n.known ? undefined : "trial"}>{n.known ? `known result ${n.number}` : <Link to={studyPath(study.name, "trials", n.number)}>{String(n.number)}</Link>}</td>
                  <td class="n">{n.value === null ? n.state : number(n.value)}</td>
                  <td class="n">{n.known && n.cost === 0 ? "–" : amount(d.cost, n.cost)}</td>
                  <td class="n" data-name="distance">{n.distance.toPrecision(2)}</td>
                  <td class="wrap">{differs(n)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Card>
  );
}
