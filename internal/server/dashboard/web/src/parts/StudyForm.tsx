import { useState } from "preact/hooks";
import { mistakeAt, type Placed, sayMistake } from "../lib/place";
import { added, changed, entryOf, listed, listOf, type Node, nodeAt, readYaml, renamed, textAt } from "../lib/yaml";
import { Doc } from "./Doc";
import { Head } from "./Head";
import { TextField } from "./TextField";

interface Props {
  text: string;
  errors: readonly Placed[];
  onChange: (text: string) => void;
}

const kinds = ["float", "int", "choice", "ordered", "bool", "fixed"];

// read returns the file, or why the form cannot show it.
function read(text: string): Node | string {
  try {
    return readYaml(text);
  } catch (e) {
    return e instanceof Error ? e.message : String(e);
  }
}

// StudyForm shows the study file as a form. Each field changes its own place in the text, so comments and everything that the form does
// not know stay as they are; and whatever is typed into the text shows up here.
export function StudyForm({ text, errors, onChange }: Props) {
  const root = read(text);
  if (typeof root === "string") {
    return (
      <p class="note" role="status" data-testid="form-lost">
        The form cannot read the file: {root}. Go on in the text; the form follows as soon as it can.
      </p>
    );
  }
  const set = (path: string[], value: string) => onChange(changed(text, path, value));
  const field = (label: string, path: string[], hint = "") => <TextField label={label} text={textAt(root, ...path)} onText={(t) => set(path, t)} testid={`form-${path.join("-")}`} hint={hint} fault={mistakeAt(errors, path.join("."))} />;
  const pick = (label: string, path: string[], values: string[], first = "") => {
    const fault = mistakeAt(errors, path.join("."));
    return (
      <label class="field">
        <span>{label}</span>
        <select value={textAt(root, ...path) || first} aria-invalid={fault !== ""} onChange={(e) => set(path, e.currentTarget.value)} data-testid={`form-${path.join("-")}`}>
          {values.map((v) => (
            <option key={v}>{v}</option>
          ))}
        </select>
        {fault !== "" && (
          <span class="wrong" role="alert" data-testid={`form-${path.join("-")}-fault`}>
            {fault}
          </span>
        )}
      </label>
    );
  };
  const parameters = nodeAt(root, ["parameters"]);
  const names = parameters?.is === "map" ? parameters.entries.map((e) => e.key) : [];
  const free = () => {
    let k = names.length + 1;
    while (names.includes(`x${k}`)) k++;
    return `x${k}`;
  };
  return (
    <div class="studyform" data-testid="form">
      <div class="fields">
        {field("name", ["name"])}
        {field("objective", ["objective", "name"], "value")}
        {pick("goal", ["objective", "goal"], ["minimize", "maximize"])}
        {pick("cost is", ["cost", "source"], ["reported", "walltime"])}
        {field("unit of cost", ["cost", "unit"])}
        {field("budget", ["budget", "total"])}
        {field("most for one trial", ["budget", "per_trial"], "no limit")}
        {field("deadline", ["budget", "deadline"], "none, or 72h")}
        {field("trials at once", ["parallel"], "1")}
      </div>
      <h2>Parameters</h2>
      {mistakeAt(errors, "parameters") !== "" && (
        <p class="wrong" role="alert" data-testid="form-parameters-fault">
          {mistakeAt(errors, "parameters")}
        </p>
      )}
      <div class="scroll">
        <table class="plain stacked" data-testid="form-parameters">
          <Head list={["name", "type", "from", "to", "log", null]} />
          <tbody>
            {names.map((name, k) => (
              <Row key={k} name={name} of={entryOf(parameters, name)?.node} taken={names} text={text} errors={errors.filter((e) => `${e.field}.`.startsWith(`parameters.${name}.`))} set={set} onChange={onChange} />
            ))}
          </tbody>
        </table>
      </div>
      <button type="button" onClick={() => ((n) => onChange(added(text, ["parameters", n], `${n}: {type: float, min: 0, max: 1}`)))(free())} data-testid="form-add">
        Add a parameter
      </button>
      <p class="say" data-testid="form-more">
        These are the fields that most studies need. The others are written in the file beside: <code>when</code>, for a parameter that exists only if another one has a certain value; <Doc page="docs/FIDELITY.md"><code>fidelity</code></Doc>, for cheap
        looks before full evaluations; <Doc page="docs/TOOL.md#constraints"><code>where</code></Doc>, <Doc page="docs/TOOL.md#how-a-command-gets-its-setting-and-reports-its-result"><code>command</code></Doc>, <Doc page="docs/POLICIES.md"><code>policy</code></Doc>, <Doc page="docs/TOOL.md#stopping"><code>stop</code></Doc> and more. <Doc page="docs/TOOL.md#the-study-file">The study file</Doc> describes
        them, and the form leaves them as they are. <code>notify</code> is for <code>eke run</code> and <code>eke worker --file</code>; the server tells its own webhooks.
      </p>
    </div>
  );
}

interface RowProps {
  name: string;
  of: Node | undefined;
  taken: string[];
  text: string;
  errors: readonly Placed[]; // of this parameter
  set: (path: string[], value: string) => void;
  onChange: (text: string) => void;
}

// columnNames are what the form calls the fields of a parameter.
const columnNames: Record<string, string> = { min: "from", max: "to" };

function Row({ name, of, taken, text, errors, set, onChange }: RowProps) {
  const path = `parameters.${name}`;
  const bad = (key: string) => ({ "aria-invalid": mistakeAt(errors, `${path}.${key}`) !== "", "aria-describedby": errors.length > 0 ? `fault-${name}` : undefined });
  const type = textAt(of, "type");
  const values = listed(text, nodeAt(of, ["values"]));
  const naming = useDraft(name, (t) => !taken.includes(t.trim()) && onChange(renamed(text, ["parameters", name], t.trim())));
  const listing = useDraft(values.join(", "), (t) => set(["parameters", name, "values"], listOf(t, values)));
  const when = nodeAt(of, ["when"]);
  const condition = when?.is === "map" ? when.entries.map((e) => `${e.key}: ${text.slice(e.node.from, e.node.to)}`).join(", ") : "";
  const cell = (key: string) => (
    <input type="text" autocomplete="off" aria-label={`${key} of ${name}`} {...bad(key)} value={textAt(of, key)} onInput={(e) => set(["parameters", name, key], e.currentTarget.value)} data-testid={`form-${name}-${key}`} />
  );
  // Another type needs other fields.
  const retype = (to: string) => {
    const numeric = to === "float" || to === "int";
    let next = changed(text, ["parameters", name, "type"], to);
    for (const key of numeric ? ["values", "value"] : to === "bool" ? ["min", "max", "log", "step", "values", "value"] : ["min", "max", "log", "step"]) next = changed(next, ["parameters", name, key], "");
    const missing = (key: string) => nodeAt(readYaml(next), ["parameters", name, key]) === undefined;
    if (numeric && missing("min")) next = changed(next, ["parameters", name, "min"], "0");
    if (numeric && missing("max")) next = changed(next, ["parameters", name, "max"], "1");
    if ((to === "choice" || to === "ordered") && missing("values")) next = added(next, ["parameters", name, "values"], "values: [a, b]");
    if (to === "fixed" && missing("value")) next = changed(next, ["parameters", name, "value"], "1");
    onChange(next);
  };
  return (
    <>
      <tr>
        <td>
          <input type="text" autocomplete="off" aria-label={`name of ${name}`} aria-invalid={mistakeAt(errors, path) !== ""} aria-describedby={errors.length > 0 ? `fault-${name}` : undefined} {...naming} data-testid={`form-${name}-name`} />
          {condition !== "" && (
            <div class="faint" data-testid={`form-${name}-when`}>
              when {condition}
            </div>
          )}
        </td>
        <td>
          <select aria-label={`type of ${name}`} {...bad("type")} value={type} onChange={(e) => retype(e.currentTarget.value)} data-testid={`form-${name}-type`}>
            {(kinds.includes(type) ? kinds : [type, ...kinds]).map((k) => (
              <option key={k}>{k}</option>
            ))}
          </select>
        </td>
        {type === "choice" || type === "ordered" ? (
          <td colSpan={3}>
            <input type="text" class="full" autocomplete="off" aria-label={`values of ${name}, separated by commas`} {...bad("values")} {...listing} data-testid={`form-${name}-values`} />
          </td>
        ) : type === "fixed" ? (
          <td colSpan={3}>{cell("value")}</td>
        ) : type === "bool" ? (
          <td colSpan={3} />
        ) : (
          <>
            <td>{cell("min")}</td>
            <td>{cell("max")}</td>
            <td data-name="log">
              <input type="checkbox" aria-label={`${name} varies by orders of magnitude`} checked={textAt(of, "log") === "true"} onChange={(e) => set(["parameters", name, "log"], e.currentTarget.checked ? "true" : "")} data-testid={`form-${name}-log`} />
            </td>
          </>
        )}
        <td class="n">
          <button type="button" class="quiet" onClick={() => set(["parameters", name], "")} aria-label={`remove ${name}`} data-testid={`form-${name}-remove`}>
            ✕
          </button>
        </td>
      </tr>
      {errors.length > 0 && (
        <tr class="fault">
          <td colSpan={6} id={`fault-${name}`} class="wrong" role="alert" data-testid={`form-${name}-fault`}>
            {errors.map((e) => ((key) => `${key === "" ? "" : `${columnNames[key] ?? key}: `}${sayMistake(e)}`)(e.field.slice(path.length + 1))).join("; ")}
          </td>
        </tr>
      )}
    </>
  );
}

// useDraft is for a field whose text counts when it is left. Nothing that is drawn meanwhile changes what is being typed.
function useDraft(text: string, onText: (t: string) => void) {
  const [draft, set] = useState<string | null>(null);
  const change = (e: { currentTarget: { value: string } }) => {
    set(null);
    onText(e.currentTarget.value);
  };
  return { value: draft ?? text, onInput: (e: { currentTarget: { value: string } }) => set(e.currentTarget.value), onChange: change, onBlur: () => set(null) };
}
