import { useEffect, useState } from "preact/hooks";

// useNow is the time, once a second while it is needed.
export function useNow(needed = true): number {
  const [now, set] = useState(Date.now());
  useEffect(() => {
    if (!needed) return;
    set(Date.now());
    const timer = setInterval(() => set(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [needed]);
  return now;
}
