interface Props {
  label: string;
  text: string;
  onText: (t: string) => void;
  testid: string;
  optional?: boolean;
  hint?: string;
}

// TextField is a line of text with its name above it.
export const TextField = ({ label, text, onText, testid, optional = false, hint }: Props) => (
  <label class="field">
    <span>
      {label}
      {optional && <span class="faint"> (optional)</span>}
    </span>
    <input type="text" autocomplete="off" spellcheck={false} placeholder={hint} value={text} onInput={(e) => onText(e.currentTarget.value)} data-testid={testid} />
  </label>
);
