interface Props<T extends string> {
  label: string;
  value: T;
  options: readonly { value: T; text: string }[];
  onChange: (v: T) => void;
  testid?: string;
}

// Choice is a row of radio buttons that looks like one switch.
export function Choice<T extends string>({ label, value, options, onChange, testid }: Props<T>) {
  return (
    <div class="choice" role="group" aria-label={label} data-testid={testid}>
      {options.map((o) => (
        <button type="button" key={o.value} aria-pressed={o.value === value} onClick={() => onChange(o.value)}>
          {o.text}
        </button>
      ))}
    </div>
  );
}
