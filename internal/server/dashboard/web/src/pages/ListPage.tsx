import { useState } from "preact/hooks";
import type { Summary } from "../api/types";
import { comparePath, go, studyPath } from "../lib/router";
import { amount, goalText, number, plural, trialCount } from "../lib/format";
import { Gauge } from "../parts/Gauge";
import { Link } from "../parts/Link";
import { Loading } from "../parts/Loading";
import { State } from "../parts/State";
import { Trouble } from "../parts/Trouble";
import { useStudies } from "../state/useStudies";

export function ListPage() {
  const { list, problem } = useStudies();
  const [chosen, choose] = useState<readonly string[]>([]);
  const toggle = (name: string) => choose((c) => (c.includes(name) ? c.filter((n) => n !== name) : [...c, name]));
  const there = chosen.filter((n) => list?.some((s) => s.name === n));
  return (
    <>
      <div class="pagehead">
        <h1>Studies</h1>
        <div class="buttons">
          <button type="button" disabled={there.length < 2} onClick={() => go(comparePath(there))} data-testid="compare" title={there.length < 2 ? "choose two or more studies" : undefined}>
            Compare{there.length > 0 ? ` ${there.length}` : ""}
          </button>
          <Link to="/new" class="button primary" data-testid="new-study">
            New study
          </Link>
        </div>
      </div>
      <Trouble problem={problem} />
      {list === null ? !problem && <Loading what="loading the studies" /> : list.length === 0 ? <Empty /> : <Table list={list} chosen={there} toggle={toggle} />}
    </>
  );
}

function Empty() {
  return (
    <div class="card empty" data-testid="no-studies">
      <h2>No studies yet</h2>
      <p>
        <Link to="/new">Create one here</Link>, or use the command line: <code>eke init</code> writes a study file, and <code>eke run</code> runs it.
      </p>
    </div>
  );
}

interface TableProps {
  list: Summary[];
  chosen: readonly string[];
  toggle: (name: string) => void;
}

function Table({ list, chosen, toggle }: TableProps) {
  return (
    <ul class="studies" data-testid="studies">
      {list.map((s) => {
        const n = trialCount(s);
        return (
          <li key={s.name} class="card study" data-testid={`study-${s.name}`}>
            <input type="checkbox" aria-label={`compare ${s.name}`} checked={chosen.includes(s.name)} onChange={() => toggle(s.name)} data-testid={`choose-${s.name}`} />
            <div class="studyname">
              <Link to={studyPath(s.name)}>{s.name}</Link>
              <span class="faint">
                {goalText(s.objective.goal)} {s.objective.name}
              </span>
            </div>
            <div class="studybest">
              <b>{s.best ? number(s.best.value ?? 0) : "–"}</b>
              <span class="faint">{s.best ? `best, ${s.best.known ? "known before" : `trial ${s.best.number}`} for ${amount(s.cost, s.best.charged ?? 0)}` : (s.counts.done ?? 0) > 0 ? "to be estimated" : "no result yet"}</span>
            </div>
            <div class="studymoney">
              <Gauge ledger={s.ledger} cost={s.cost} trials={null} small />
            </div>
            <div class="studystate">
              <State of={s} />
              <span class="faint">{plural(n, "trial")}</span>
            </div>
          </li>
        );
      })}
    </ul>
  );
}
