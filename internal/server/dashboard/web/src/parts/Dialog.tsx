import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Study } from "../api/types";

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

// Dialog is the browser's own dialog. It keeps the focus inside, and Escape closes it.
export function Dialog({ title, id, onClose, children }: Props) {
  const ref = useRef<HTMLDialogElement>(null);
  const gone = useRef(false);
  useEffect(() => {
    const d = ref.current;
    const before = document.activeElement;
    d?.showModal();
    return () => {
      gone.current = true;
      d?.close();
      if (before instanceof HTMLElement) before.focus();
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
