import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";

// Later draws what is further down once that above it is on the screen.
export function Later({ children }: { children: ComponentChildren }) {
  const [now, set] = useState(false);
  useEffect(() => {
    let timer = 0;
    const frame = requestAnimationFrame(() => (timer = window.setTimeout(() => set(true))));
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  }, []);
  return now ? <>{children}</> : null;
}
