import { useEffect, useState } from "preact/hooks";
import { plural } from "../lib/format";
import { comparePath, go, type Route } from "../lib/router";
import { listPath, perPage, sorts, states, type Wanted, wantedOf } from "../lib/wanted";
import { Link } from "../parts/Link";
import { Loading } from "../parts/Loading";
import { StudyRow } from "../parts/StudyRow";
import { Trouble } from "../parts/Trouble";
import { useMay } from "../state/me";
import { useStudies } from "../state/useStudies";

export function ListPage({ at }: { at: Route }) {
  const [wanted, want] = useState(() => wantedOf(location.search));
  useEffect(() => want(wantedOf(location.search)), [at]); // somebody went to another list, or back
  const { page, problem } = useStudies(wanted);
  const may = useMay();
  const [chosen, choose] = useState<readonly string[]>([]);
  const toggle = (name: string) => choose((c) => (c.includes(name) ? c.filter((n) => n !== name) : [...c, name]));
  const change = (w: Partial<Wanted>) => {
    const next = { ...wanted, skip: 0, ...w };
    want(next);
    history.replaceState(null, "", listPath(next));
  };
  const any = wanted.search !== "" || wanted.tag !== "" || wanted.state !== "";
  const total = page?.total ?? 0;
  // Studies may have been deleted meanwhile.
  useEffect(() => {
    if (page && wanted.skip > 0 && wanted.skip >= page.total) change({});
  }, [page]);
  return (
    <>
      <div class="pagehead">
        <h1>Studies</h1>
        <div class="buttons">
          {chosen.length > 0 && (
            <button type="button" disabled={chosen.length < 2} onClick={() => go(comparePath([...chosen]))} data-testid="compare">
              {chosen.length < 2 ? "Choose another to compare" : `Compare ${chosen.length}`}
            </button>
          )}
          {may("admin") && (
            <Link to="/new" class="button primary" data-testid="new-study">
              New study
            </Link>
          )}
        </div>
      </div>
      <Trouble problem={problem} />
      {(total > 0 || any) && (
        <div class="controls">
          <input type="search" placeholder="name, tag or objective" aria-label="search for studies" value={wanted.search} onInput={(e) => change({ search: e.currentTarget.value })} data-testid="search" />
          <select aria-label="show only studies in this state" value={wanted.state} onChange={(e) => change({ state: e.currentTarget.value as Wanted["state"] })} data-testid="list-state">
            <option value="">all states</option>
            {states.map((s) => (
              <option key={s}>{s}</option>
            ))}
          </select>
          <label class="inline">
            sort by{" "}
            <select value={wanted.sort} onChange={(e) => change({ sort: e.currentTarget.value as Wanted["sort"], down: e.currentTarget.value !== "name" })} data-testid="list-sort">
              {sorts.map((s) => (
                <option key={s}>{s}</option>
              ))}
            </select>
          </label>
          <button type="button" onClick={() => change({ down: !wanted.down })} aria-label={wanted.down ? "sort upwards" : "sort downwards"} data-testid="list-down">
            {wanted.down ? "↓" : "↑"}
          </button>
          {wanted.tag !== "" && (
            <button type="button" class="tag" onClick={() => change({ tag: "" })} aria-label={`show studies without the tag ${wanted.tag} too`} data-testid="tag-clear">
              {wanted.tag} ✕
            </button>
          )}
          <span class="faint small" role="status" data-testid="study-count">
            {plural(total, "study", "studies")}
          </span>
        </div>
      )}
      {page === null ? (
        !problem && <Loading what="loading the studies" />
      ) : total === 0 ? (
        any ? <p class="card empty">No study matches.</p> : <Empty mayCreate={may("admin")} />
      ) : (
        <ul class="studies" data-testid="studies">
          {page.studies.map((s) => (
            <StudyRow key={s.name} study={s} chosen={chosen.includes(s.name)} toggle={toggle} onTag={(tag) => change({ tag })} />
          ))}
        </ul>
      )}
      {total > perPage && (
        <nav class="buttons pager" aria-label="pages of the list">
          <button type="button" disabled={wanted.skip === 0} onClick={() => change({ skip: Math.max(0, wanted.skip - perPage) })} data-testid="page-before">
            Before
          </button>
          <span class="faint" data-testid="page-now">
            {wanted.skip + 1} to {Math.min(wanted.skip + perPage, total)} of {total}
          </span>
          <button type="button" disabled={wanted.skip + perPage >= total} onClick={() => change({ skip: wanted.skip + perPage })} data-testid="page-next">
            Next
          </button>
        </nav>
      )}
    </>
  );
}

function Empty({ mayCreate }: { mayCreate: boolean }) {
  return (
    <div class="card empty" data-testid="no-studies">
      <h2>No studies yet</h2>
      {mayCreate ? (
        <p>
          <Link to="/new">Create one here</Link>, or use the command line: <code>eke init</code> writes a study file, and <code>eke run</code> runs it.
        </p>
      ) : (
        <p>An admin creates them, or the owner of the server with the command line.</p>
      )}
    </div>
  );
}
