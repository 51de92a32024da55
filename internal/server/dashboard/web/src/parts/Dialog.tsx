import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { Problem } from "../api/problem";
import type { Study } from "../api/types";
import { Trouble } from "./Trouble";

interface Props {
  title: string;
  id: string;
  onClose: () => void;
  children: ComponentChildren;
}

export interface StudyDialogProps {
  study: Study;
  onDone: (s: Study) => void;
  onClose: () => void;
}

// Dialog is the browser's own dialog. It keeps the focus inside, Escape closes it, and closing it gives the focus back.
export function Dialog({ title, id, onClose, children }: Props) {
  const ref = useRef<HTMLDialogElement>(null);
  const gone = useRef(false);
  useEffect(() => ref.current?.showModal(), []);
  // It is closed as it goes, not after the next paint: by then somebody may have moved the focus on.
  useLayoutEffect(() => {
    const d = ref.current;
    return () => {
      gone.current = true;
      d?.close();
    };
  }, []);
  return (
    <dialog
      ref={ref}
      aria-labelledby={`${id}-title`}
      data-testid={id}
      onClose={() => {
        if (!gone.current) onClose(); // the browser has closed it
      }}
    >
      <h2 id={`${id}-title`}>{title}</h2>
      {children}
    </dialog>
  );
}

interface FooterProps {
  act: string; // what the button says
  testid: string;
  danger?: boolean;
  disabled: boolean;
  problem: Problem | null;
  onAct?: () => void; // missing: the button sends the form around it
  onClose: () => void;
}

// Footer ends a dialog or a form: what went wrong, the button that acts, and the way out.
export function Footer({ act, testid, danger = false, disabled, problem, onAct, onClose }: FooterProps) {
  return (
    <>
      <Trouble problem={problem} />
      <div class="buttons">
        <button type={onAct ? "button" : "submit"} class={danger ? "danger" : "primary"} disabled={disabled} onClick={onAct} data-testid={testid}>
          {act}
        </button>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </>
  );
}
