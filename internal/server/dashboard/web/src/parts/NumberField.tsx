import { useId } from "preact/hooks";

const grouped = /^[+-]?[1-9]\d{0,2}((,\d{3}){2,}(\.\d*)?|,\d{3}\.\d*)(e[+-]?\d+)?$/i;

// parseNumber reads what people type: 1e-3, 1,234.5, 0.5. Null: it is not a number. A comma is taken out where it can only stand between
// thousands: 0,125 is an eighth to whoever writes so, and 1,234 may be either.
export function parseNumber(text: string): number | null {
  const typed = text.trim().replace("−", "-");
  const t = grouped.test(typed) ? typed.replaceAll(",", "") : typed;
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(t)) return null;
  const v = Number(t);
  return Number.isFinite(v) ? v : null;
}

// notNumber says why a text is none.
export function notNumber(text: string): string {
  if (!text.includes(",")) return "This is not a number.";
  const t = text.trim();
  return /^[+−-]?[1-9]\d{0,2},\d{3}(e[+-]?\d+)?$/i.test(t) ? `Write ${t.replace(",", "")} or ${t.replace(",", ".")}.` : "Write a decimal point, not a comma.";
}

interface Props {
  label: string;
  text: string;
  onText: (t: string) => void;
  testid: string;
  least?: number;
  above?: boolean; // must be above least, not equal to it
  optional?: boolean;
  autofocus?: boolean;
  hint?: string;
  fault?: string; // what the server said about it
}

// NumberField says at once what is wrong with a number.
export function NumberField({ label, text, onText, testid, least, above = false, optional = false, autofocus = false, hint, fault = "" }: Props) {
  const id = useId();
  const v = parseNumber(text);
  let wrong = fault;
  if (text.trim() !== "") {
    if (v === null) wrong = notNumber(text);
    else if (least !== undefined && (above ? v <= least : v < least)) wrong = above ? `Enter more than ${least}.` : `Enter ${least} or more.`;
  }
  return (
    <label class="field">
      <span>
        {label}
        {optional && <span class="faint"> (optional)</span>}
      </span>
      <input type="text" inputMode="decimal" autocomplete="off" value={text} onInput={(e) => onText(e.currentTarget.value)} aria-invalid={wrong !== ""} aria-describedby={`${id}-hint`} data-testid={testid} autofocus={autofocus} />
      <span id={`${id}-hint`} class={wrong ? "wrong" : "faint small"} role={wrong ? "alert" : undefined} data-testid={`${testid}-hint`}>
        {wrong || hint}
      </span>
    </label>
  );
}
