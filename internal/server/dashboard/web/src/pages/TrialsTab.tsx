import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Study, Trial } from "../api/types";
import { brushed, type Brushes, Parallel, uprights } from "../charts/Parallel";
import { counts } from "../lib/format";
import { go, studyPath } from "../lib/router";
import { Card } from "../parts/Card";
import { NeighboursCard } from "../parts/NeighboursCard";
import { NoTrials } from "../parts/NoTrials";
import { OutputCard } from "../parts/OutputCard";
import { TrialDetail } from "../parts/TrialDetail";
import { TrialTable } from "../parts/TrialTable";
import { WhyCard } from "../parts/WhyCard";

interface Props {
  study: Study;
  trials: Trial[];
  selected: number | null;
  apply: (s: Study | null, t: Trial[]) => void;
}

const fold = 120; // pixels of the details that must be in the window

export function TrialsTab({ study, trials, selected, apply }: Props) {
  const detail = useRef<HTMLDivElement>(null);
  const [brushes, brush] = useState<Brushes>({});
  const d = study.definition;
  const counting = useMemo(() => trials.filter(counts), [trials]);
  const within = useMemo(() => {
    if (Object.keys(brushes).length === 0) return null;
    const inside = brushed(uprights(d, counting), brushes);
    return (t: Trial) => counts(t) && inside(t);
  }, [d, counting, brushes]);
  const trial = selected === null ? undefined : trials.find((t) => t.number === selected);
  const select = (n: number | null) => go(studyPath(study.name, "trials", n), { replace: true, keep: true });
  // On a narrow page the details are below the table, perhaps below the fold. Beside it they are in sight, and the row that was clicked
  // stays where it is.
  const there = trial !== undefined;
  useLayoutEffect(() => {
    const box = detail.current;
    if (box && box.getBoundingClientRect().top > window.innerHeight - fold) box.scrollIntoView({ block: "nearest" });
  }, [selected, there]);
  if (trials.length === 0) return <NoTrials study={study} />;
  return (
    <>
      {counting.length > 1 && (
        <Card id="side-by-side" title="All trials side by side" say="Every line is a trial. The stronger its colour, the better its value. The best is orange.">
          <Parallel definition={d} trials={trials} best={study.best?.number ?? null} brushes={brushes} onBrush={brush} selected={selected} />
        </Card>
      )}
      <div class={trial ? "opened" : undefined}>
        <TrialTable study={study} trials={trials} within={within} selected={selected} onSelect={select} />
        {trial && (
          <div class="details" ref={detail} data-testid="selected">
            <TrialDetail study={study} trial={trial} onClose={() => select(null)} apply={apply} key={`${trial.number} ${trial.state}`} />
            <WhyCard study={study} trial={trial} trials={trials} title={`Why trial ${trial.number}`} key={trial.number} />
          </div>
        )}
        {trial && (
          <div class="around">
            <NeighboursCard study={study} trial={trial} trials={trials} />
            <OutputCard study={study} trial={trial} key={`output ${trial.number}`} />
          </div>
        )}
      </div>
    </>
  );
}
