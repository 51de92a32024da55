import { useState } from "preact/hooks";
import { setToken, token, wanted } from "../api/token";
import { useSignal } from "../lib/signal";
import { Dialog, Footer } from "./Dialog";

// TokenDialog opens when the server answers 401.
export function TokenDialog() {
  const open = useSignal(wanted);
  const had = useSignal(token) !== "";
  const [text, set] = useState("");
  if (!open) return null;
  const submit = (e: Event) => {
    e.preventDefault();
    if (text.trim() === "") return;
    setToken(text.trim());
    set("");
  };
  return (
    <Dialog title="Enter a token" id="token-dialog" onClose={() => wanted.set(false)}>
      <form onSubmit={submit}>
        <p class="say">
          {had ? "The server does not know this token; it may have been revoked. " : "This server needs a token. "}
          Its admin makes one with <code>eke token new --role reader</code>. This tab keeps it until you close it.
        </p>
        <label>
          Token
          <input type="password" autocomplete="off" spellcheck={false} placeholder="eke_…" value={text} onInput={(e) => set(e.currentTarget.value)} data-testid="token" />
        </label>
        <Footer act="Continue" testid="token-submit" disabled={false} problem={null} onClose={() => wanted.set(false)} />
      </form>
    </Dialog>
  );
}
