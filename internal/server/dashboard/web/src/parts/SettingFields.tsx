import type { Param, Setting, Value } from "../api/types";
import { valueText } from "../lib/format";
import { parseNumber } from "./NumberField";

export type Texts = Readonly<Record<string, string>>;

const free = (params: Param[]) => params.filter((p) => p.type !== "fixed");
const listed = (p: Param): Value[] => (p.type === "bool" ? [false, true] : (p.values ?? []));
const isOptional = (p: Param): boolean => p.default !== undefined || (p.when ?? []).length > 0;

// textsOf is a setting as it would be typed.
export const textsOf = (params: Param[], s: Setting): Texts => Object.fromEntries(free(params).flatMap((p) => (s[p.name] === undefined ? [] : [[p.name, String(s[p.name])]])));

// settingOf reads what was typed. What is left empty is left out; whether it may be is for the server to say.
export function settingOf(params: Param[], texts: Texts): Setting {
  const setting: Setting = {};
  for (const p of free(params)) {
    const t = (texts[p.name] ?? "").trim();
    if (t !== "") setting[p.name] = listed(p).find((v) => String(v) === t) ?? parseNumber(t) ?? t;
  }
  return setting;
}

// SettingFields has a field for each parameter: a list where its values are known.
export function SettingFields({ params, texts, onTexts }: { params: Param[]; texts: Texts; onTexts: (t: Texts) => void }) {
  return (
    <div class="fields">
      {free(params).map((p) => {
        const set = (e: { currentTarget: { value: string } }) => onTexts({ ...texts, [p.name]: e.currentTarget.value });
        const common = { value: texts[p.name] ?? "", "data-testid": `own-${p.name}` };
        return (
          <label class="field" key={p.name}>
            <span>
              {p.name}
              {isOptional(p) && <span class="faint"> (optional)</span>}
            </span>
            {listed(p).length > 0 ? (
              <select {...common} onChange={set}>
                <option value="">{isOptional(p) ? "none" : "choose…"}</option>
                {listed(p).map((v) => (
                  <option key={String(v)} value={String(v)}>
                    {valueText(v)}
                  </option>
                ))}
              </select>
            ) : (
              <input type="text" inputMode="decimal" autocomplete="off" placeholder={`${valueText(p.min ?? 0)} to ${valueText(p.max ?? 0)}`} {...common} onInput={set} />
            )}
          </label>
        );
      })}
    </div>
  );
}
