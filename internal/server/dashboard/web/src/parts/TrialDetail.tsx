import type { Study, Trial } from "../api/types";
import { notCounted } from "../lib/course";
import { amount, duration, inputs, isOpen, moment, number } from "../lib/format";
import { stateWord } from "../lib/state";
import { studyPath } from "../lib/router";
import { Card } from "./Card";
import { type Fact, Facts, SettingFacts } from "./Facts";
import { Link } from "./Link";
import { TrialThoughts } from "./TrialThoughts";

interface Props {
  study: Study;
  trial: Trial;
  onClose: () => void;
  apply: (s: Study | null, t: Trial[]) => void;
}

export function TrialDetail({ study, trial: t, onClose, apply }: Props) {
  const d = study.definition;
  const facts: Fact[] = [["state", [stateWord(t), notCounted(t)].filter(Boolean).join(", ")]];
  if (t.queued) facts.push(["waits because", t.queued, "queued-why"]);
  if (t.state === "done") facts.push([d.objective.name, number(t.value ?? 0)]);
  for (const [name, x] of Object.entries(t.metrics ?? {})) facts.push([name, [number(x), d.limits?.[name]?.unit].filter(Boolean).join(" ")]);
  facts.push(isOpen(t) ? ["reserved", amount(d.cost, t.reserved ?? 0)] : ["charged", amount(d.cost, t.charged ?? 0)]);
  if (t.setup !== undefined) facts.push(["went into changes", amount(d.cost, t.setup), "setup"]);
  if (t.place) facts.push(["place", t.place]);
  if (t.wall) facts.push(["run time", duration(t.wall)]);
  if (t.runner) facts.push(["worker", t.runner.replace(/^lease-/, "")]);
  facts.push(["asked", moment(t.asked)]);
  if (t.finished) facts.push(["ended", moment(t.finished)]);
  if (t.exit) facts.push(["exit", t.exit.signal ? `signal ${t.exit.signal}` : `code ${t.exit.code}`]);
  for (const w of t.was ?? []) facts.push([`until ${moment(w.until)}`, `${w.state === "done" ? number(w.value) : w.state} for ${amount(d.cost, w.charged)}${w.why ? `: ${w.why}` : ""}`]);
  if (t.note) facts.push(["note", t.note]);
  return (
    <Card
      id="trial-detail"
      title={`Trial ${t.number}`}
      aside={
        <span class="buttons">
          <Link to={studyPath(study.name, "models", t.number)} class="small">
            models around it
          </Link>
          <button type="button" class="quiet" onClick={onClose} aria-label="close the details">
            ✕
          </button>
        </span>
      }
    >
      <Facts list={facts} />
      <SettingFacts params={inputs(d)} setting={t.setting} />
      <TrialThoughts study={study} trial={t} apply={apply} />
    </Card>
  );
}
