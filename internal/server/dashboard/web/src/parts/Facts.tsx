import type { Param, Setting } from "../api/types";
import { valueText } from "../lib/format";
import { Some } from "./Some";

export type Fact = readonly [name: string, text: string, testid?: string];

// Facts is a list of names and values.
export function Facts({ list, class: name = "facts" }: { list: readonly Fact[]; class?: string }) {
  return (
    <dl class={name}>
      {list.map(([what, text, testid]) => (
        <div key={what}>
          <dt>{what}</dt>
          <dd data-testid={testid}>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

export const SettingFacts = ({ params, setting }: { params: Param[]; setting: Setting }) => (
  <Some list={params} most={12} what="values">
    {(shown) => <Facts class="setting" list={shown.map((p) => [p.name, valueText(setting[p.name])])} />}
  </Some>
);
