import type { Study } from "../api/types";
import { studyPath } from "../lib/router";
import { Link } from "./Link";

// NoTrials says how to get some.
export function NoTrials({ study }: { study: Study }) {
  return (
    <div class="card empty" data-testid="no-trials">
      <h2>No trials yet</h2>
      {study.closed ? (
        <p>The study was ended before anything was tried.</p>
      ) : (
        <>
          <p>Trials are asked for by whoever tries them:</p>
          {study.definition.command ? (
            <pre>eke worker --server {location.origin} --study {study.name}</pre>
          ) : (
            <p class="faint">The study has no command, so results come from a program of yours, or by hand.</p>
          )}
          <p>
            With the study's file on this machine, <code>eke run FILE</code> does it all. Or <Link to={studyPath(study.name, "enter")}>ask for a setting and enter its result by hand</Link>.
          </p>
        </>
      )}
    </div>
  );
}
