import { useMemo, useState } from "preact/hooks";
import uPlot from "uplot";
import type { Definition, Ledger } from "../api/types";
import type { CourseStep } from "../lib/course";
import { amount, moment } from "../lib/format";
import { ink } from "../lib/theme";
import { Choice } from "../parts/Choice";
import { Plot, type PlotOptions, stepped } from "./Plot";
import { countAxis, timeAxis, yAxis } from "./plotAxes";

type Over = "time" | "trials";

interface Props {
  definition: Definition;
  ledger: Ledger;
  steps: CourseStep[];
}

// BurnChart draws what is left of the budget, over time or from trial to trial; what is reserved now hangs below the end.
export function BurnChart({ definition: d, ledger, steps }: Props) {
  const [over, set] = useState<Over>("trials");
  const data = useMemo(() => burn(ledger, steps, over), [ledger.total, ledger.reserved, steps, over]);
  const options = (): PlotOptions => ({
    padding: [10, 12, 0, 0],
    scales: { x: { time: over === "time", range: (_, min, max) => [min, max + Math.max((max - min) * 0.03, 1e-3)] }, y: { range: [0, ledger.total * 1.04] } },
    axes: [over === "time" ? timeAxis("") : countAxis("ended trials"), yAxis("left", d.cost)],
    cursor: { drag: { x: false, y: false }, points: { show: false }, y: false },
    series: [
      {},
      { paths: stepped, stroke: ink("value"), fill: ink("burn"), width: 2, points: { show: false } },
      { stroke: ink("reserved"), width: 6, points: { show: false }, spanGaps: true },
    ],
  });
  const tip = (i: number) => {
    const s = steps[i - 1];
    const left = data[1]?.[i];
    if (typeof left !== "number") return "";
    return s ? `after trial ${s.trial.number}${s.trial.finished ? `, ${moment(s.trial.finished)}` : ""}: ${amount(d.cost, left)} left` : `${amount(d.cost, left)} at the start`;
  };
  return (
    <>
      <Choice
        label="burn-down over"
        value={over}
        onChange={set}
        testid="burn-over"
        options={[
          { value: "trials", text: "over trials" },
          { value: "time", text: "over time" },
        ]}
      />
      <Plot label="money left" height={330} options={options} deps={[over, ledger.total, d]} data={data} tip={tip} testid="burn-chart" count={steps.length} />
      <ul class="keys">
        <li>
          <i class="rule" />
          left of {amount(d.cost, ledger.total)}
        </li>
        {ledger.reserved > 0 && (
          <li>
            <i class="rule held" />
            of it reserved now
          </li>
        )}
      </ul>
    </>
  );
}

// burn starts before the first trial; the last two points are the drop of what is reserved.
function burn(ledger: Ledger, steps: CourseStep[], over: Over): uPlot.AlignedData {
  const first = steps[0]?.trial;
  const time = (iso: string | undefined) => (iso ? Date.parse(iso) / 1000 : 0);
  const x = [over === "time" ? time(first?.asked) : 0];
  const left: (number | null)[] = [ledger.total];
  const held: (number | null)[] = [null];
  for (const [k, s] of steps.entries()) {
    x.push(over === "time" ? Math.max(time(s.trial.finished), x[x.length - 1] ?? 0) : k + 1);
    left.push(Math.max(ledger.total - s.spent, 0));
    held.push(null);
  }
  const last = x[x.length - 1] ?? 0;
  const at = left[left.length - 1] ?? ledger.total;
  if (ledger.reserved > 0) {
    held[held.length - 1] = at;
    x.push(last + Math.max((last - (x[0] ?? 0)) * 1e-6, 1e-6));
    left.push(null);
    held.push(Math.max(at - ledger.reserved, 0));
  }
  return [x, left, held];
}
