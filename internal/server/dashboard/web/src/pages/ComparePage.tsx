import { useMemo, useState } from "preact/hooks";
import { api } from "../api/client";
import { colours, CompareChart, type Compared } from "../charts/CompareChart";
import { course } from "../lib/course";
import { amount, goalText, number, percent, plural, trialCount } from "../lib/format";
import { studyPath } from "../lib/router";
import { Card } from "../parts/Card";
import { Choice } from "../parts/Choice";
import { Head } from "../parts/Head";
import { Link } from "../parts/Link";
import { Loading } from "../parts/Loading";
import { Trouble } from "../parts/Trouble";
import { allTrials } from "../state/trials";
import { useLoad } from "../state/useLoad";

async function load(name: string, stop: AbortSignal): Promise<Compared> {
  const asked = api.study(name, stop);
  const [study, { trials }] = await Promise.all([asked, allTrials(name, asked.then(trialCount, () => 0), stop)]);
  return { study, steps: course(study.definition.objective.goal, trials, study.best) };
}

export function ComparePage({ names }: { names: string[] }) {
  const { data, problem, busy } = useLoad((stop) => Promise.all(names.map((n) => load(n, stop))), [names.join("\n")]);
  const [over, set] = useState<"money" | "share">("money");
  const list = useMemo(() => data ?? [], [data]);
  const units = new Set(list.map((c) => c.study.definition.cost.unit));
  const goals = new Set(list.map((c) => `${c.study.definition.objective.goal} ${c.study.definition.objective.name}`));
  return (
    <>
      <div class="pagehead">
        <h1>Compare {plural(names.length, "study", "studies")}</h1>
      </div>
      <Trouble problem={problem} />
      {busy && <Loading what="loading the studies" />}
      {names.length === 0 && <p class="card empty">Choose studies from <Link to="/">the list</Link>.</p>}
      {list.length > 0 && (
        <>
          <Card
            id="compare-money"
            title="Best value against money spent"
            aside={
              <Choice
                label="against"
                value={over}
                onChange={set}
                testid="compare-over"
                options={[
                  { value: "money", text: "money" },
                  { value: "share", text: "share of budget" },
                ]}
              />
            }
          >
            {goals.size > 1 && <p class="note">These studies have different goals, so their values cannot be compared.</p>}
            {units.size > 1 && over === "money" && <p class="note">Their costs are in different units ({[...units].join(", ")}). Compare by share of budget instead.</p>}
            <CompareChart list={list} share={over === "share"} />
          </Card>
          <CompareTable list={list} />
        </>
      )}
    </>
  );
}

function CompareTable({ list }: { list: Compared[] }) {
  return (
    <div class="card scroll">
      <table class="plain" data-testid="compare-table">
        <Head list={["study", "goal", { n: "best" }, { n: "found after" }, { n: "spent" }, { n: "of budget" }, { n: "trials" }, "policy"]} />
        <tbody>
          {list.map(({ study: s, steps }, k) => {
            const found = s.best?.known ? undefined : steps.findLast((x) => x.better);
            return (
              <tr key={s.name}>
                <th scope="row">
                  <i class={`swatch c${k % colours}`} />
                  <Link to={studyPath(s.name)}>{s.name}</Link>
                </th>
                <td>
                  {goalText(s.definition.objective.goal)} {s.definition.objective.name}
                </td>
                <td class="n">{s.best ? number(s.best.value ?? 0) : "–"}</td>
                <td class="n">{found ? amount(s.definition.cost, found.spent) : "–"}</td>
                <td class="n">{amount(s.definition.cost, s.ledger.spent)}</td>
                <td class="n">{percent(s.ledger.spent / s.ledger.total)}</td>
                <td class="n">{trialCount(s)}</td>
                <td>{s.policy.name}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
