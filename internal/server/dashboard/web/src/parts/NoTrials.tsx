import type { Study } from "../api/types";
import { studyPath } from "../lib/router";
import { useMay } from "../state/me";
import { Doc } from "./Doc";
import { Link } from "./Link";

// NoTrials says how to get some.
export function NoTrials({ study }: { study: Study }) {
  const may = useMay();
  return (
    <div class="card empty" data-testid="no-trials">
      <h2>No trials yet</h2>
      {study.closed ? (
        <p>The study ended before its first trial.</p>
      ) : (
        <>
          {study.definition.command ? (
            <>
              <p>
                Start a <Doc page="docs/SERVICE.md">worker</Doc> to run trials:
              </p>
              <pre>eke worker --server {location.origin} --study {study.name}</pre>
            </>
          ) : (
            <p>
              The study has no command, so results come from <Doc page="clients/python/README.md">your own program</Doc> or <Doc page="docs/LAB.md">by hand</Doc>.
            </p>
          )}
          <p>
            If the study file is on the server's machine, <code>eke run FILE</code> runs the study there.
            {may("worker") && (
              <>
                {" "}
                Or <Link to={studyPath(study.name, "enter")}>ask for a setting and enter its result by hand</Link>.
              </>
            )}
          </p>
        </>
      )}
    </div>
  );
}
