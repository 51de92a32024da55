import { setToken, token } from "../api/token";
import { route } from "../lib/router";
import { useSignal } from "../lib/signal";
import { setTheme, theme } from "../lib/theme";
import { useMay, useMe } from "../state/me";
import { Link } from "./Link";

export function Header() {
  const at = useSignal(route);
  const mode = useSignal(theme);
  const has = useSignal(token) !== "";
  const may = useMay();
  const me = useMe();
  const other = mode === "dark" ? "light" : "dark";
  return (
    <header class="bar">
      <a class="skip" href="#main" data-testid="skip" onClick={(e) => {
        e.preventDefault();
        document.getElementById("main")?.focus();
      }}>
        Skip to content
      </a>
      <div class="barin">
        <Link to="/" class="brand" aria-label="eke, all studies">
          <svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true">
            <rect width="32" height="32" rx="7" fill="var(--brand)" />
            <path d="M6 9v4h6v5h6v4h8" fill="none" stroke="#fff" stroke-width="3.4" stroke-linecap="round" stroke-linejoin="round" />
            <circle cx="26" cy="22" r="3.4" fill="#ffb547" />
          </svg>
          eke
        </Link>
        <nav aria-label="pages">
          <Link to="/" aria-current={at.page === "list" ? "page" : undefined} data-testid="nav-studies">
            Studies
          </Link>
          {may("admin") && <Link to="/new" aria-current={at.page === "new" ? "page" : undefined} data-testid="nav-new">
            New study
          </Link>}
          {may("admin") && !me?.group && (
            <Link to="/tokens" aria-current={at.page === "tokens" ? "page" : undefined} data-testid="nav-tokens">
              Tokens
            </Link>
          )}
        </nav>
        <span class="grow" />
        {has && (
          <button type="button" class="quiet" onClick={() => setToken("")} aria-label="forget token" data-testid="forget-token">
            Forget<span class="wide">&nbsp;token</span>
          </button>
        )}
        <button type="button" class="quiet" onClick={() => setTheme(other)} aria-label={`switch to the ${other} theme`} title={`${other} theme`} data-testid="theme">
          <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true">
            {mode === "dark" ? (
              <g fill="none" stroke="currentColor" stroke-width="1.7" stroke-linecap="round">
                <circle cx="10" cy="10" r="3.6" />
                <path d="M10 1.8v2M10 16.2v2M1.8 10h2M16.2 10h2M4.2 4.2l1.4 1.4M14.4 14.4l1.4 1.4M4.2 15.8l1.4-1.4M14.4 5.6l1.4-1.4" />
              </g>
            ) : (
              <path d="M16.5 12.3A7 7 0 0 1 7.7 3.5a7 7 0 1 0 8.8 8.8z" fill="none" stroke="currentColor" stroke-width="1.7" stroke-linejoin="round" />
            )}
          </svg>
        </button>
      </div>
    </header>
  );
}
