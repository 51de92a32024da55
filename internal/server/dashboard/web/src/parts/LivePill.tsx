import type { Live } from "../api/live";
import { useNow } from "../state/useNow";

const title: Record<Live["state"], string> = {
  live: "changes appear as they happen",
  connecting: "connecting to the server",
  waiting: "the connection is lost; this may be out of date",
  refused: "the server refuses to send changes",
};

// LivePill says whether the page is up to date. Of a study that is over it is silent as long as nothing is wrong.
export function LivePill({ live, over }: { live: Live; over: boolean }) {
  const now = useNow(live.state === "waiting");
  if (over && (live.state === "live" || live.state === "connecting")) return null;
  let text = "live";
  if (live.state === "connecting") text = "connecting…";
  if (live.state === "waiting") text = `offline, retrying in ${Math.max(0, Math.ceil((live.until - now) / 1000))} s`;
  if (live.state === "refused") text = "not live";
  return (
    <span class={`pill live-${live.state}`} role="status" title={title[live.state]} data-testid="live" data-state={live.state}>
      <i aria-hidden="true" />
      {text}
    </span>
  );
}
