import { useState } from "preact/hooks";
import { api } from "../api/client";
import type { Study } from "../api/types";
import { inputs, settingText } from "../lib/format";
import { studyPath } from "../lib/router";
import { useMay } from "../state/me";
import { useLoad } from "../state/useLoad";
import { useSend } from "../state/useSend";
import { Card } from "./Card";
import { Head } from "./Head";
import { Link } from "./Link";
import { OwnForm } from "./OwnForm";
import { Trouble } from "./Trouble";

// QueueCard lists the settings that people want to be tried next. Workers add some, and take them back.
export function QueueCard({ study }: { study: Study }) {
  const may = useMay();
  const [adding, add] = useState(false);
  const { busy, problem: refused, send } = useSend();
  const [changes, changed] = useState(0); // of the viewer's own
  const wanted = study.waiting > 0 || changes > 0;
  const { data, problem } = useLoad((stop) => (wanted ? api.queue(study.name, stop) : Promise.resolve({ items: [] })), [study.name, wanted && study.version, changes]);
  const items = data?.items ?? [];
  const none = study.waiting === 0 && items.length === 0;
  const mayAdd = may("worker") && !study.closed && !study.archived;
  if (none && !mayAdd) return null;
  const drop = (number: number) =>
    void send(async () => {
      await api.dequeue(study, number);
      changed((n) => n + 1);
    });
  return (
    <Card
      id="queue"
      title={none ? "Settings to try next: none" : `Settings to try next: ${items.length || study.waiting}`}
      say={none ? undefined : study.closed ? "The study has ended, so they are not tried any more." : "They are tried before anything else, in this order, as far as the budget allows."}
      aside={
        mayAdd && (
          <button type="button" aria-expanded={adding} onClick={() => add(!adding)} data-testid="queue-add">
            {adding ? "Close the form" : "Add a setting"}
          </button>
        )
      }
    >
      <Trouble problem={problem ?? refused} />
      {items.length > 0 && (
        <div class="scroll">
          <table class="plain stacked" data-testid="queue-table">
            <Head list={[{ n: "number" }, "setting", "note", ...(may("worker") ? [null] : [])]} />
            <tbody>
              {items.map((i) => (
                <tr key={i.number} data-testid={`queue-${i.number}`}>
                  <td class="n">{i.number}</td>
                  <td class="wrap">{settingText(inputs(study.definition), i.setting)}{i.part && ", and the rest as the policy chooses"}</td>
                  <td class="wrap">{i.retries ? <>again, as in <Link to={studyPath(study.name, "trials", i.retries)}>trial {i.retries}</Link></> : i.note || "–"}</td>
                  {may("worker") && (
                    <td class="n">
                      <button type="button" disabled={busy} onClick={() => drop(i.number)} aria-label={`take back number ${i.number}`} data-testid={`drop-${i.number}`}>
                        Take back
                      </button>
                    </td>
                  )}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {adding && mayAdd && <OwnForm study={study} known={false} onAdded={() => changed((n) => n + 1)} />}
    </Card>
  );
}
