import { useEffect, useState } from "preact/hooks";
import { api } from "../api/client";
import { newKey } from "../api/http";
import type { Study, Trial } from "../api/types";
import { isOpen } from "../lib/format";
import { stateWord } from "../lib/state";
import { Card } from "../parts/Card";
import { ResultForm } from "../parts/ResultForm";
import { ImportCard } from "../parts/ImportCard";
import { OwnForm } from "../parts/OwnForm";
import { Said } from "../parts/Said";
import { Trouble } from "../parts/Trouble";
import { useMay } from "../state/me";
import { useHeld } from "../state/useHeld";
import { useSend } from "../state/useSend";

interface Props {
  study: Study;
  trials: Trial[];
  apply: (s: Study | null, t: Trial[]) => void;
}

// EnterTab is for work by hand: ask for a setting, try it, and enter its result and cost.
export function EnterTab({ study, trials, apply }: Props) {
  const [number, choose] = useState<number | null>(null);
  const { busy, problem, send } = useSend();
  const [told, setTold] = useState<string>("");
  const [key, setKey] = useState(newKey);
  const may = useMay();
  const held = useHeld(study, trials);
  const waiting = trials.filter((t) => isOpen(t) || t.state === "abandoned");
  useEffect(() => {
    if (number === null && held.numbers.length > 0) choose(held.numbers[0] ?? null);
  }, [held.numbers.join()]);
  const trial = waiting.find((t) => t.number === number);
  const ask = async () => {
    setTold("");
    const refused = await send(async () => {
      const got = await api.ask(study, key);
      apply(null, got);
      for (const t of got) held.hold(t.number);
      choose(got[0]?.number ?? null);
    });
    if (!refused || (refused.status !== 0 && refused.status < 500)) setKey(newKey()); // it was answered, so the next ask is a new request
  };
  const done = (t: Trial, words: string) => {
    apply(null, [t]);
    held.release(t.number);
    choose(null);
    setTold(words);
  };
  return (
    <>
      <Card id="ask-card" title="1. Ask for a setting to try" say="The server chooses what to try next and reserves money for it until you enter the result. Take your time. You may close this page meanwhile.">
        <div class="controls">
          <button type="button" class="primary" disabled={busy || study.closed} onClick={() => void ask()} data-testid="ask">
            {busy ? "Choosing…" : "Ask for a setting"}
          </button>
          {study.closed && <span class="faint">The study has ended. There are no more settings to try.</span>}
        </div>
        <Trouble problem={problem} />
        <Said text={told} testid="told" />
      </Card>
      <Card
        id="enter-card"
        title="2. Enter the result"
        aside={
          waiting.length > 0 && (
            <label class="inline">
              trial{" "}
              <select value={number ?? ""} onChange={(e) => choose(e.currentTarget.value === "" ? null : Number(e.currentTarget.value))} data-testid="enter-trial">
                <option value="">choose…</option>
                {waiting.map((t) => (
                  <option key={t.number} value={t.number}>
                    {t.number}, {stateWord(t)}
                    {held.numbers.includes(t.number) ? ", yours" : ""}
                  </option>
                ))}
              </select>
            </label>
          )
        }
      >
        {trial ? (
          <ResultForm key={trial.number} study={study} trial={trial} onDone={done} />
        ) : (
          <p class="say">{waiting.length > 0 ? "Choose the trial that you have a result for." : "No trial is waiting for a result. Ask for a setting first."}</p>
        )}
      </Card>
      <Card id="own-card" title="A setting of your own" say={`Have it tried next, under the budget.${may("admin", study) ? " If you know its result already, enter that as well: the study learns from it, and pays nothing." : ""}`}>
        {study.closed ? <p class="say">The study has ended. It tries no more settings.</p> : <OwnForm study={study} known={may("admin", study)} />}
      </Card>
      {may("admin", study) && <ImportCard study={study} />}
    </>
  );
}
