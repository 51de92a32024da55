import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

interface Props {
  class: string;
  testid: string;
  button: ComponentChildren; // what it says
  buttonClass?: string;
  label?: string;
  children: ComponentChildren;
}

// shutMenu closes the menu around an element, and gives the focus back to its button.
export function shutMenu(within: EventTarget | null): void {
  const menu = within instanceof Element ? within.closest("details") : null;
  if (!menu?.open) return;
  menu.open = false;
  if (menu.contains(document.activeElement)) menu.querySelector("summary")?.focus();
}

// Menu opens below its button. Escape closes it, and so does a click elsewhere.
export function Menu({ class: name, testid, button, buttonClass = "button", label, children }: Props) {
  const ref = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const elsewhere = (e: Event) => {
      const menu = ref.current;
      if (menu?.open && e.target instanceof Node && !menu.contains(e.target)) menu.open = false;
    };
    document.addEventListener("pointerdown", elsewhere);
    return () => document.removeEventListener("pointerdown", elsewhere);
  }, []);
  return (
    <details class={name} ref={ref} data-testid={testid} onKeyDown={(e) => e.key === "Escape" && shutMenu(e.currentTarget)}>
      <summary class={buttonClass} aria-label={label} title={label}>
        {button}
      </summary>
      <div class="menu">{children}</div>
    </details>
  );
}
