import { useEffect, useMemo, useState } from "preact/hooks";
import { api } from "../api/client";
import { course } from "../lib/course";
import { amount, goalsText, plural } from "../lib/format";
import { studyPath, type Tab, tabs } from "../lib/router";
import { handsOut, isOver } from "../lib/state";
import { BudgetDialog } from "../parts/BudgetDialog";
import { EndDialog } from "../parts/EndDialog";
import { Link } from "../parts/Link";
import { ManageMenu } from "../parts/ManageMenu";
import { LivePill } from "../parts/LivePill";
import { Loading } from "../parts/Loading";
import { Needs } from "../parts/Needs";
import { Nowhere } from "../parts/Nowhere";
import { State } from "../parts/State";
import { Trouble } from "../parts/Trouble";
import { useMay } from "../state/me";
import { useSend } from "../state/useSend";
import { useStudy } from "../state/useStudy";
import { EditTab } from "./EditTab";
import { EnterTab } from "./EnterTab";
import { ModelsTab } from "./ModelsTab";
import { OverviewTab } from "./OverviewTab";
import { TrialsTab } from "./TrialsTab";

const tabText: Record<Tab, string> = { overview: "Overview", trials: "Trials", models: "What was learnt", enter: "Enter a result", edit: "Change the study" };

interface Props {
  name: string;
  tab: Tab;
  trial: number | null;
}

export function StudyPage({ name, tab, trial }: Props) {
  const { study, trials, problem, live, loaded, apply, again } = useStudy(name);
  const [dialog, open] = useState<"budget" | "end" | null>(null);
  const { problem: refused, send, forget } = useSend();
  const may = useMay();
  const goal = study?.definition.objective.goal ?? "minimize";
  const best = study?.best ?? null;
  const steps = useMemo(() => course(goal, trials ?? [], best), [goal, trials, best]);
  useEffect(() => {
    open(null); // what was meant for a study is not for another of its name
    forget();
  }, [study?.id]);
  if (!study && problem?.status === 404) {
    return (
      <Nowhere>
        There is no study <code>{name}</code>.
      </Nowhere>
    );
  }
  if (!study) return problem ? <Trouble problem={problem} again={again} /> : <Loading what={`loading ${name}`} />;
  const d = study.definition;
  return (
    <>
      <div class="pagehead">
        <div>
          <h1>{study.name}</h1>
          <p class="goal">
            {goalsText(d)} with {amount(d.cost, study.ledger.total)} · {plural(d.parameters.length, "parameter")}
          </p>
        </div>
        <div class="buttons">
          <span class="buttons">
            <State of={study} />
            {trials && <LivePill live={live} over={isOver(study)} />}
          </span>
          {may("admin", study) && !study.closed && (
            <span class="buttons">
              <button type="button" onClick={() => open("budget")} data-testid="add-budget">
                Add budget
              </button>
              {(study.paused || handsOut(study)) && (
                <button type="button" onClick={() => void send(async () => apply(await api.pause(study, !study.paused), []))} data-testid="pause">
                  {study.paused ? "Resume" : "Pause"}
                </button>
              )}
              <button type="button" onClick={() => open("end")} data-testid="end-study">
                End study
              </button>
            </span>
          )}
          <ManageMenu study={study} apply={(s) => apply(s, [])} />
        </div>
      </div>
      <nav class="tabs" aria-label="sections of the study">
        {tabs.filter((t) => t !== "edit" && (t !== "enter" || may("worker"))).map((t) => (
          <Link key={t} to={studyPath(name, t, t === "trials" || t === "models" ? trial : null)} aria-current={t === tab ? "page" : undefined} data-testid={`tab-${t}`}>
            {tabText[t]}
          </Link>
        ))}
      </nav>
      <Trouble problem={problem} again={again} />
      <Trouble problem={refused} />
      {tab === "edit" ? (
        <Needs role="admin" of={study} to="change this study">
          <EditTab study={study} apply={(s) => apply(s, [])} />
        </Needs>
      ) : trials === null ? (
        !problem && <Loading what={loaded > 0 ? `loading the trials, ${loaded} so far` : "loading the trials"} />
      ) : tab === "overview" ? (
        <OverviewTab study={study} trials={trials} steps={steps} apply={(s) => apply(s, [])} />
      ) : tab === "trials" ? (
        <TrialsTab study={study} trials={trials} selected={trial} apply={apply} />
      ) : tab === "models" ? (
        <ModelsTab study={study} trials={trials} selected={trial} />
      ) : (
        <Needs role="worker" to="enter results">
          <EnterTab study={study} trials={trials} apply={apply} />
        </Needs>
      )}
      {dialog === "budget" && <BudgetDialog study={study} onDone={(s) => apply(s, [])} onClose={() => open(null)} />}
      {dialog === "end" && <EndDialog study={study} onDone={(s) => apply(s, [])} onClose={() => open(null)} />}
    </>
  );
}
