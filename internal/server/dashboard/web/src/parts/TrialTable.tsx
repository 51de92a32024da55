import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { api } from "../api/client";
import { asProblem, type Problem } from "../api/problem";
import type { Study, Trial } from "../api/types";
import { notCounted, isBest } from "../lib/course";
import { axisName, bare, counts, duration, isEnded, number, plural, valueText } from "../lib/format";
import { filterOf } from "../lib/filter";
import { save } from "../lib/save";
import { arranged, chargedOf, type Column, columnWidth, type Order, paramColumn, sorted, valueOf } from "../lib/sort";
import { stateWord } from "../lib/state";
import { rowWindow } from "../lib/window";
import { sentence, trouble } from "../lib/words";
import { useShown } from "../state/useShown";
import { Card } from "./Card";
import { Columns } from "./Columns";
import { Trouble } from "./Trouble";

const row = 31; // pixels, as in parts.css
const states = ["pending", "queued", "running", "done", "failed", "cut", "stopped early", "abandoned"];

function columnsOf(study: Study, notes: boolean, metrics: string[]): Column[] {
  const d = study.definition;
  const others = (d.objectives ?? []).slice(1).map((o) => o.name);
  const metric = (name: string): Column => ({ key: `metric.${name}`, name, numeric: true, width: columnWidth(name, 88), cell: (t: Trial) => t.metrics?.[name] ?? null });
  return [
    { key: "number", name: "#", aliases: ["number", "trial"], numeric: true, width: 68, cell: (t) => t.number },
    { key: "state", name: "state", numeric: false, width: 124, cell: stateWord },
    { key: "value", name: d.objective.name, aliases: ["value"], numeric: true, width: columnWidth(d.objective.name, 104), cell: valueOf },
    ...others.map(metric),
    { key: "charged", name: axisName("cost", d.cost), aliases: ["cost"], numeric: true, width: columnWidth(axisName("cost", d.cost), 88), cell: chargedOf },
    ...(d.changeover ? [{ key: "setup", name: axisName("setup", d.cost), aliases: ["setup"], numeric: true, width: columnWidth(axisName("setup", d.cost), 88), cell: (t: Trial) => t.setup ?? null }] : []),
    ...d.parameters.filter((p) => p.type !== "fixed").map(paramColumn),
    ...metrics.filter((name) => !others.includes(name)).map(metric),
    { key: "wall", name: "run time", aliases: ["seconds"], numeric: true, width: 100, cell: (t) => t.wall || null },
    { key: "runner", name: "worker", numeric: false, width: 120, cell: (t) => t.runner?.replace(/^lease-/, "") || null },
    ...(notes ? [{ key: "note", name: "note", numeric: false, width: 240, cell: (t: Trial) => (t.note ? trouble(t.note) : null) }] : []),
  ];
}

interface Props {
  study: Study;
  trials: Trial[];
  within: ((t: Trial) => boolean) | null; // of the brushes
  selected: number | null;
  onSelect: (n: number | null) => void;
}

// TrialTable draws only the visible rows, so that ten thousand trials are no more work than twenty.
export function TrialTable({ study, trials, within, selected, onSelect }: Props) {
  const [query, setQuery] = useState("");
  const [state, setState] = useState("");
  const [order, setOrder] = useState<Order>({ key: "number", down: true });
  const [problem, setProblem] = useState<Problem | null>(null);
  const notes = useMemo(() => trials.some((t) => t.note), [trials]);
  const metrics = useMemo(() => [...new Set(trials.flatMap((t) => Object.keys(t.metrics ?? {})))].sort(), [trials]);
  const all = useMemo(() => columnsOf(study, notes, metrics), [study.definition, notes, metrics.join("\n")]);
  const [shown, show] = useShown(study.name);
  const listed = useMemo(() => arranged(all, shown), [all, shown]);
  const columns = useMemo(() => listed.filter((c) => !shown.hidden.includes(c.key)), [listed, shown]);
  const { found, error } = useMemo(() => filterOf(query, all), [query, all]);
  const matching = useMemo(() => trials.filter((t) => (state === "" || stateWord(t) === state) && (within === null || within(t)) && found(t)), [trials, found, state, within]);
  const rows = useMemo(() => sorted(matching, all.find((c) => c.key === order.key) ?? (all[0] as Column), order.down), [matching, all, order]);
  const sort = (key: string) => setOrder((o) => ({ key, down: o.key === key ? !o.down : false }));
  const download = async (format: "csv" | "json") => {
    setProblem(null);
    try {
      save(await api.export(study.name, format), `${study.name}.${format}`);
    } catch (e) {
      setProblem(asProblem(e));
    }
  };
  return (
    <Card
      id="trials"
      title="Trials"
      aside={
        <span class="buttons">
          <button type="button" onClick={() => void download("csv")} data-testid="export-csv">
            CSV
          </button>
          <button type="button" onClick={() => void download("json")} data-testid="export-json">
            JSON
          </button>
        </span>
      }
    >
      <Trouble problem={problem} />
      <div class="controls">
        <input type="search" placeholder="filter: adam, #12, value < 0.3 and cost > 2" aria-label="show only these trials" aria-invalid={error !== ""} aria-describedby="filter-error" value={query} onInput={(e) => setQuery(e.currentTarget.value)} data-testid="filter" />
        <select aria-label="show only trials in this state" value={state} onChange={(e) => setState(e.currentTarget.value)} data-testid="filter-state">
          <option value="">all states</option>
          {states
            .filter((s) => (s === "queued" ? study.queued : (study.counts[s] ?? 0)) > 0 || s === state)
            .map((s) => (
              <option key={s} value={s}>
                {s}
              </option>
            ))}
        </select>
        <Columns list={listed} shown={shown} onShow={show} />
        <span class="faint small" role="status" data-testid="trial-count">
          {rows.length === trials.length ? plural(rows.length, "trial") : `${rows.length} of ${plural(trials.length, "trial")}`}
          {within && ", in the brush"}
        </span>
      </div>
      <p id="filter-error" class="wrong small" role="alert" data-testid="filter-error">
        {error !== "" && sentence(error)}
      </p>
      <Rows study={study} columns={columns} rows={rows} order={order} search={`${state} ${query}`} onSort={sort} selected={selected} onSelect={onSelect} />
    </Card>
  );
}

interface RowsProps {
  study: Study;
  columns: Column[];
  rows: Trial[];
  order: Order;
  search: string;
  onSort: (key: string) => void;
  selected: number | null;
  onSelect: (n: number | null) => void;
}

function Rows({ study, columns, rows, order, search, onSort, selected, onSelect }: RowsProps) {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ scroll: 0, height: 480 });
  useEffect(() => {
    const el = box.current;
    if (!el) return;
    const measure = () => setView({ scroll: el.scrollTop, height: el.clientHeight });
    measure();
    el.addEventListener("scroll", measure, { passive: true });
    const watch = new ResizeObserver(measure);
    watch.observe(el);
    return () => {
      el.removeEventListener("scroll", measure);
      watch.disconnect();
    };
  }, []);
  // A new order starts at the top.
  useEffect(() => box.current?.scrollTo(0, 0), [order.key, order.down, search]);
  const w = rowWindow(view.scroll, view.height, row, rows.length);
  const width = columns.reduce((sum, c) => sum + c.width, 0);
  return (
    <div class="tall" ref={box} tabindex={0} role="region" aria-label="trials, scrollable" data-testid="rows">
      <table class="trials" aria-rowcount={rows.length + 1} style={{ minWidth: `${width}px` }}>
        <colgroup>
          {columns.map((c) => (
            <col key={c.key} style={{ width: `${c.width}px` }} />
          ))}
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map((c) => (
              <th key={c.key} scope="col" class={c.numeric ? "n" : ""} aria-sort={order.key === c.key ? (order.down ? "descending" : "ascending") : undefined}>
                <button type="button" onClick={() => onSort(c.key)} data-testid={`sort-${c.key}`} title={c.name}>
                  {c.name}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {w.above > 0 && <Gap height={w.above} span={columns.length} />}
          {rows.slice(w.from, w.to).map((t, k) => (
            <tr
              key={t.number}
              aria-rowindex={w.from + k + 2}
              aria-selected={t.number === selected}
              class={`${t.state}${isEnded(t) && !counts(t) ? " uncounted" : ""}${isBest(t, study.best) ? " top-row" : ""}${t.number === selected ? " chosen" : ""}`}
              onClick={() => onSelect(t.number === selected ? null : t.number)}
              data-trial={t.number}
              data-testid={`trial-${t.number}`}
            >
              {columns.map((c) => (
                <td key={c.key} class={c.numeric ? "n" : ""} title={c.key === "note" ? t.note : undefined}>
                  {c.key === "number" ? (
                    <button type="button" class="plainlink" aria-label={`details of trial ${t.number}`}>
                      {t.number}
                    </button>
                  ) : (
                    text(study, c, t)
                  )}
                </td>
              ))}
            </tr>
          ))}
          {w.below > 0 && <Gap height={w.below} span={columns.length} />}
        </tbody>
      </table>
      {rows.length === 0 && <p class="say none">No trial matches.</p>}
    </div>
  );
}

function Gap({ height, span }: { height: number; span: number }) {
  return (
    <tr class="gap" aria-hidden="true">
      <td colSpan={span} style={{ height: `${height}px` }} />
    </tr>
  );
}

function text(study: Study, c: Column, t: Trial): string {
  const v = c.cell(t);
  if (v === null) return "–";
  if (c.key === "state") return notCounted(t).split(":")[0] || stateWord(t);
  if (c.key === "charged" || c.key === "setup") return bare(study.definition.cost, v as number);
  if (c.key === "wall") return duration(v as number);
  if (c.key === "value") return number(v as number);
  return valueText(v);
}
