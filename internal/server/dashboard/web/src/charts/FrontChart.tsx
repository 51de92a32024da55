import { Fragment } from "preact";
import { useCallback, useMemo } from "preact/hooks";
import type { Aim, Rest, Study, Trial } from "../api/types";
import { amount, number } from "../lib/format";
import { onFront, type Outcome, outcomes, pairs, reachOf, worstWords } from "../lib/front";
import { memo } from "../lib/memo";
import { studyPath } from "../lib/router";
import { newScale } from "../lib/scale";
import { Head } from "../parts/Head";
import { Link } from "../parts/Link";
import { path } from "./Frame";
import { Graph } from "./Graph";
import { Marks } from "./Marks";

const most = 12; // rows of the table

// FrontChart draws several objectives against each other, every pair of them, with the front and what it beats, and lists the front.
export const FrontChart = memo(({ study, aims, trials, rest }: { study: Study; aims: Aim[]; trials: Trial[]; rest: Rest | null }) => {
  const list = useMemo(() => outcomes(aims, trials, study.front), [aims, trials, study.front]);
  const front = onFront(aims, study.front);
  const noisy = study.front?.expected !== undefined; // the numbers that decide are not those that were seen
  if (list.length === 0) return <p class="say">There is no result yet.</p>;
  return (
    <>
      {pairs(aims.length).map(([up, right]) => (
        <Pair key={`${up} ${right}`} aims={aims} list={list} noisy={noisy} up={up} right={right} rest={rest} />
      ))}
      {study.front && (
        <p class="faint small" data-testid="hypervolume">
          Hypervolume {number(study.front.hypervolume)}, beyond {worstWords(aims, study.front)}.
        </p>
      )}
      {study.front?.beyond && (
        <p class="say" data-testid="beyond-worst">
          {study.front.beyond}.
        </p>
      )}
      <div class="scroll">
        <table class="plain" data-testid="front-table">
          <Head list={["trial", ...aims.flatMap((o) => (noisy ? [{ n: `${o.name}, expected` }, { n: "seen" }] : [{ n: o.name }])), { n: "cost" }]} />
          <tbody>
            {front.slice(0, most).map((o, i) => (
              <tr key={i} data-trial={o.trial.known ? "known" : o.trial.number}>
                <td>{o.trial.known ? "known" : <Link to={studyPath(study.name, "trials", o.trial.number)}>{o.trial.number}</Link>}</td>
                {o.values.map((v, j) => (
                  <Fragment key={j}>
                    <td class="n">{number(v)}</td>
                    {noisy && <td class="n">{o.seen.map((y) => number(y[j] ?? 0)).join(", ")}</td>}
                  </Fragment>
                ))}
                <td class="n">{amount(study.cost, o.trial.charged ?? 0)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
});

const titleOf = (o: Outcome): string => (o.trial.known ? "a known result" : `trial ${o.trial.number}`);

// Pair draws two of the objectives against each other, and where the rest of the money may move the front.
function Pair({ aims, list, noisy, up, right, rest }: { aims: Aim[]; list: Outcome[]; noisy: boolean; up: number; right: number; rest: Rest | null }) {
  const band = reachOf(rest, aims[up]?.name, aims[right]?.name);
  const at = (o: Outcome, j: number): number => o.values[j] ?? 0;
  const range = (j: number, margin: number): [number, number] =>
    ((s) => [s.lo, s.hi])(newScale([...list.map((o) => at(o, j)), ...band.map((p) => (j === up ? p.better : p.at))], false, margin));
  const spots = useCallback(() => list.map((o) => ({ x: at(o, right), y: at(o, up), trial: o.trial.number })), [list]);
  const [y, x] = [aims[up]?.name ?? "", aims[right]?.name ?? ""];
  return (
    <Graph
      label={`${y} against ${x}`}
      testid="front-chart"
      count={list.length}
      height={330}
      class="front"
      by="both"
      x={{ name: x, range: range(right, 0.04) }}
      y={{ name: y, range: range(up, 0.06) }}
      spots={spots}
      tip={(k) => ((o) => (o ? `${titleOf(o)}: ${noisy && o.front ? "expected " : ""}${aims.map((a, j) => `${a.name} ${number(at(o, j))}`).join(", ")}` : ""))(list[k])}
      table={() => [["trial", ...aims.map((o) => o.name), "on the front", ...(noisy ? aims.map((o) => `${o.name}, seen`) : [])], ...list.map((o) => [o.trial.known ? "known" : o.trial.number, ...o.values, o.front, ...(noisy ? (o.seen[0] ?? []) : [])])]}
    >
      {(v) => (
        <>
          {band.length > 0 && (
            <g class="fan" data-testid="front-band">
              <path class="band" d={path([...band.map((p): [number, number] => [v.x(p.at), v.y(p.better)]), ...band.toReversed().map((p): [number, number] => [v.x(p.at), v.y(p.worse)])], true)} />
            </g>
          )}
          <Marks view={v} list={list} of={(o) => ({ mark: o.front ? "better" : "done", x: at(o, right), y: at(o, up) })} lane={0} />
        </>
      )}
    </Graph>
  );
}
