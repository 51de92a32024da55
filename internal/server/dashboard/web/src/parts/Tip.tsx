import { useEffect, useRef } from "preact/hooks";

// Tip shows the data-tip of the element under the pointer, without delay.
export function Tip() {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const tip = ref.current;
    if (!tip) return;
    const over = (e: PointerEvent) => {
      const target = e.target instanceof Element ? e.target.closest("[data-tip]") : null;
      const text = target?.getAttribute("data-tip") ?? "";
      tip.hidden = text === "";
      tip.textContent = text;
      if (text !== "") move(e);
    };
    const move = (e: PointerEvent) => {
      if (tip.hidden) return;
      tip.style.left = `${Math.max(4, Math.min(e.clientX + 14, innerWidth - tip.offsetWidth - 6))}px`;
      tip.style.top = `${e.clientY + tip.offsetHeight + 24 > innerHeight ? e.clientY - tip.offsetHeight - 10 : e.clientY + 16}px`;
    };
    const hide = () => (tip.hidden = true);
    document.addEventListener("pointerover", over);
    document.addEventListener("pointermove", move);
    document.addEventListener("scroll", hide, true);
    return () => {
      document.removeEventListener("pointerover", over);
      document.removeEventListener("pointermove", move);
      document.removeEventListener("scroll", hide, true);
    };
  }, []);
  return <div id="tip" ref={ref} hidden />;
}
