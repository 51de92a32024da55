import { useState } from "preact/hooks";
import { setToken, token, wanted } from "../api/token";
import { useSignal } from "../lib/signal";
import { Dialog } from "./Dialog";

// TokenDialog comes up when the service answers 401.
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
    <Dialog title="A token, please" id="token-dialog" onClose={() => wanted.set(false)}>
      <form onSubmit={submit}>
        <p class="say">
          {had ? "The service does not know this token, or not any more. " : "This service answers only those who have a token. "}
          Whoever runs it makes one with <code>eke token new --role reader</code>. It is kept in this tab until you close it.
        </p>
        <label>
          Token
          <input type="password" autocomplete="off" spellcheck={false} placeholder="eke_…" value={text} onInput={(e) => set(e.currentTarget.value)} data-testid="token" />
        </label>
        <div class="buttons">
          <button type="submit" class="primary" data-testid="token-submit">
            Use it
          </button>
          <button type="button" onClick={() => wanted.set(false)}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}
