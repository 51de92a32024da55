import { useCallback, useMemo, useState } from "preact/hooks";
import type { Definition, Ledger } from "../api/types";
import type { CourseStep } from "../lib/course";
import { finishedAt } from "../lib/brief";
import { amount, axisName, isTime, moment } from "../lib/format";
import { memo } from "../lib/memo";
import { Choice } from "../parts/Choice";
import { stair } from "./Frame";
import { Graph } from "./Graph";

type Over = "time" | "trials";

interface Props {
  definition: Definition;
  ledger: Ledger;
  steps: CourseStep[];
}

// BurnChart draws what is left of the budget, over time or from trial to trial; what is reserved now hangs below the end.
export const BurnChart = memo(({ definition: d, ledger, steps }: Props) => {
  const [over, set] = useState<Over>("trials");
  const spots = useMemo(() => burn(ledger.total, steps, over), [ledger.total, steps, over]);
  const pointed = useCallback(() => spots, [spots]);
  const end = spots[spots.length - 1] ?? { x: 1, y: ledger.total };
  const begin = spots[0]?.x ?? 0;
  const tip = (k: number) => {
    const s = steps[k - 1];
    const left = amount(d.cost, spots[k]?.y ?? 0);
    return s ? `after trial ${s.trial.number}${s.trial.finished ? `, ${moment(s.trial.finished)}` : ""}: ${left} left` : `${left} at the start`;
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
      <Graph
        key={over}
        label="money left"
        testid="burn-chart"
        count={steps.length}
        height={330}
        class="value"
        x={{ name: over === "time" ? "" : "ended trials", range: [begin, end.x > begin ? end.x : begin + 1], whole: over === "trials", dates: over === "time" }}
        y={{ name: axisName("left", d.cost), range: [0, ledger.total * 1.04], clock: isTime(d.cost) }}
        spots={pointed}
        tip={tip}
        table={() => [["trial", "finished", `left, ${d.cost.unit}`], ...spots.map((s, k) => [steps[k - 1]?.trial.number, steps[k - 1]?.trial.finished, s.y])]}
      >
        {(v) => {
          const line = stair(spots.map((s) => [v.x(s.x), v.y(s.y)]), v.x(end.x));
          return (
            <>
              <path class="band" d={`${line}V${v.y(0)}H${v.x(begin)}Z`} />
              <path class="curve" d={line} />
              {ledger.reserved > 0 && <path class="held" d={`M${v.x(end.x)} ${v.y(end.y)}V${v.y(Math.max(end.y - ledger.reserved, 0))}`} />}
            </>
          );
        }}
      </Graph>
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
});

// burn starts before the first trial.
function burn(total: number, steps: CourseStep[], over: Over): { x: number; y: number; trial?: number }[] {
  let x = over === "time" ? Date.parse(steps[0]?.trial.asked ?? "") || 0 : 0;
  const list: { x: number; y: number; trial?: number }[] = [{ x, y: total }];
  for (const [k, s] of steps.entries()) {
    x = over === "time" ? Math.max(finishedAt(s.trial), x) : k + 1;
    list.push({ x, y: Math.max(total - s.spent, 0), trial: s.trial.number });
  }
  return list;
}
