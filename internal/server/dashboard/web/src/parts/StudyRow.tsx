import type { Summary } from "../api/types";
import { amount, goalsText, number, plural, trialCount } from "../lib/format";
import { studyPath } from "../lib/router";
import { Gauge } from "./Gauge";
import { Link } from "./Link";
import { State } from "./State";

interface Props {
  study: Summary;
  chosen: boolean;
  toggle: (name: string) => void;
  onTag: (tag: string) => void;
}

// StudyRow is a study in the list. One that cannot be read says so.
export function StudyRow({ study: s, chosen, toggle, onTag }: Props) {
  if (s.damaged) {
    return (
      <li class="card study damaged" data-testid={`study-${s.name}`}>
        <span />
        <div class="studyname">
          <b>{s.name}</b>
          <span class="wrong">damaged: {s.damaged}</span>
        </div>
      </li>
    );
  }
  return (
    <li class="card study" data-testid={`study-${s.name}`}>
      <input type="checkbox" aria-label={`compare ${s.name}`} checked={chosen} onChange={() => toggle(s.name)} data-testid={`choose-${s.name}`} />
      <div class="studyname">
        <Link to={studyPath(s.name)}>{s.name}</Link>
        <span class="faint">
          {goalsText(s)}
        </span>
        {s.tags.length > 0 && (
          <span class="tags">
            {s.tags.map((t) => (
              <button type="button" class="tag" key={t} onClick={() => onTag(t)} title={`show studies with the tag ${t}`} data-testid={`tag-${t}`}>
                {t}
              </button>
            ))}
          </span>
        )}
      </div>
      <div class="studybest">
        <b>{s.best ? number(s.best.value ?? 0) : "–"}</b>
        <span class="faint">{s.best ? `${s.best.estimate ? "expected best" : "best"}, ${s.best.known ? "known before" : `trial ${s.best.number}`}${s.best.known && !s.best.charged ? "" : ` for ${amount(s.cost, s.best.charged ?? 0)}`}` : s.infeasible ? s.infeasible : (s.counts.done ?? 0) > 0 ? "to be estimated" : "no result yet"}</span>
      </div>
      <div class="studymoney">
        <Gauge ledger={s.ledger} cost={s.cost} on={null} small />
      </div>
      <div class="studystate">
        <State of={s} />
        <span class="faint">{plural(trialCount(s), "trial")}</span>
      </div>
      {s.finished && !s.archived && (
        <p class="studyend faint" data-testid="study-end">
          <b>{s.closed ? "Ended" : "Finished"}:</b> {s.finished.reason}.
        </p>
      )}
    </li>
  );
}
