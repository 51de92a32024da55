import type { Param, Setting } from "../api/types";
import { plural, settingText } from "../lib/format";

const most = 12; // parameters that fit a line or two

// SettingLine is a setting in small print. A long one is folded.
export function SettingLine({ params, setting }: { params: Param[]; setting: Setting }) {
  const text = settingText(params, setting);
  return params.length <= most ? (
    <p class="faint small">{text}</p>
  ) : (
    <details class="faint small">
      <summary>its {plural(params.length, "parameter")}</summary>
      {text}
    </details>
  );
}
