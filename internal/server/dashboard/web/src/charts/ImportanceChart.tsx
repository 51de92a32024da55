import type { Direction, Importance } from "../api/types";
import { percent } from "../lib/format";
import { Head } from "../parts/Head";
import { Some } from "../parts/Some";

const goes: Record<Direction, string> = {
  rises: "↗ rises",
  falls: "↘ falls",
  peaks: "∩ highest inside",
  dips: "∪ lowest inside",
  flat: "→ flat",
  varies: "∿ up and down",
};

interface Props {
  objective: string;
  others: string[]; // of several objectives
  list: Importance[];
}

// ImportanceChart is a row for each parameter: its shares in every objective and in cost, alone (solid) and with others (pale).
export function ImportanceChart({ objective, others, list }: Props) {
  const shown = others.filter((name) => list[0]?.also?.[name]);
  const columns = [{ name: objective, class: "value", of: (i: Importance) => i.value }, ...shown.map((name) => ({ name, class: "value", of: (i: Importance) => i.also?.[name] ?? i.value })), { name: "cost", class: "cost", of: (i: Importance) => i.cost }];
  const ordered = [...list].sort((a, b) => b.value.total + b.cost.total - (a.value.total + a.cost.total));
  return (
    <Some list={ordered} most={12} what="parameters">
      {(rows) => (
        <div class="scroll">
          <table class="importance" data-testid="importance">
            <Head list={["parameter", ...columns.map((c) => `on ${c.name}`)]} />
            <tbody>
              {rows.map((i) => (
                <tr key={i.parameter}>
                  <th scope="row">{i.parameter}</th>
                  {columns.map((c) => {
                    const s = c.of(i);
                    return (
                      <td key={c.name} class={c.class} data-tip={`${i.parameter}: ${percent(s.first)} by itself, ${percent(s.total)} together with others`}>
                        <div class="meter" role="img" aria-label={`${percent(s.first)} by itself, ${percent(s.total)} together with others`}>
                          <i class="total" style={{ width: `${100 * Math.min(Math.max(s.total, 0), 1)}%` }} />
                          <i class="first" style={{ width: `${100 * Math.min(Math.max(s.first, 0), 1)}%` }} />
                        </div>
                        <span>
                          {percent(s.total)} <span class="faint">{s.direction ? goes[s.direction] : ""}</span>
                        </span>
                      </td>
                    );
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Some>
  );
}
