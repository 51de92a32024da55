import { useId } from "preact/hooks";

interface Props {
  label: string;
  text: string;
  onText: (t: string) => void;
  testid: string;
  optional?: boolean;
  hint?: string;
  fault?: string; // what the server said about it
}

// TextField is a line of text with its name above it, and what is wrong with it below.
export function TextField({ label, text, onText, testid, optional = false, hint, fault = "" }: Props) {
  const id = useId();
  return (
    <label class="field">
      <span>
        {label}
        {optional && <span class="faint"> (optional)</span>}
      </span>
      <input type="text" autocomplete="off" spellcheck={false} placeholder={hint} value={text} aria-invalid={fault !== ""} aria-describedby={fault === "" ? undefined : `${id}-fault`} onInput={(e) => onText(e.currentTarget.value)} data-testid={testid} />
      {fault !== "" && (
        <span id={`${id}-fault`} class="wrong" role="alert" data-testid={`${testid}-fault`}>
          {fault}
        </span>
      )}
    </label>
  );
}
