import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { api } from "../api/client";
import { asProblem, type Problem } from "../api/problem";
import type { State, Study, Trial } from "../api/types";
import { notCounted, isBest } from "../lib/course";
import { axisName, bare, number, plural, valueText } from "../lib/format";
import { chargedOf, type Column, columnWidth, matcher, type Order, paramColumn, sorted, valueOf } from "../lib/sort";
import { rowWindow } from "../lib/window";
import { Card } from "./Card";
import { Trouble } from "./Trouble";

const row = 31; // pixels, as in parts.css
const states: State[] = ["pending", "running", "done", "failed", "cut", "abandoned"];

function columnsOf(study: Study, notes: boolean): Column[] {
  const d = study.definition;
  return [
    { key: "number", name: "#", numeric: true, width: 68, cell: (t) => t.number },
    { key: "state", name: "state", numeric: false, width: 100, cell: (t) => t.state },
    { key: "value", name: d.objective.name, numeric: true, width: columnWidth(d.objective.name, 104), cell: valueOf },
    { key: "charged", name: axisName("cost", d.cost), numeric: true, width: columnWidth(axisName("cost", d.cost), 88), cell: chargedOf },
    ...d.parameters.filter((p) => p.type !== "fixed").map(paramColumn),
    ...(notes ? [{ key: "note", name: "note", numeric: false, width: 240, cell: (t: Trial) => t.note ?? null }] : []),
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
  const columns = useMemo(() => columnsOf(study, notes), [study.definition, notes]);
  const matching = useMemo(() => {
    const found = matcher(query);
    return trials.filter((t) => (state === "" || t.state === state) && (within === null || within(t)) && found(t));
  }, [trials, query, state, within]);
  const rows = useMemo(() => sorted(matching, columns.find((c) => c.key === order.key) ?? (columns[0] as Column), order.down), [matching, columns, order]);
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
        <input type="search" placeholder="filter: adam, #12, layers=3" aria-label="show only trials with these words" value={query} onInput={(e) => setQuery(e.currentTarget.value)} data-testid="filter" />
        <select aria-label="show only trials in this state" value={state} onChange={(e) => setState(e.currentTarget.value)} data-testid="filter-state">
          <option value="">all states</option>
          {states
            .filter((s) => (study.counts[s] ?? 0) > 0 || s === state)
            .map((s) => (
              <option key={s} value={s}>
                {s}
              </option>
            ))}
        </select>
        <span class="faint small" role="status" data-testid="trial-count">
          {rows.length === trials.length ? plural(rows.length, "trial") : `${rows.length} of ${plural(trials.length, "trial")}`}
          {within && ", in the brush"}
        </span>
      </div>
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
              class={`${t.state}${isBest(t, study.best) ? " top-row" : ""}${t.number === selected ? " chosen" : ""}`}
              onClick={() => onSelect(t.number === selected ? null : t.number)}
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
  if (c.key === "state") return notCounted(t).split(":")[0] || t.state;
  if (c.key === "charged") return bare(study.definition.cost, v as number);
  if (c.key === "value") return number(v as number);
  return valueText(v);
}

function save(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const a = document.createElement("a");
  a.href = url;
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
