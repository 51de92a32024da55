// The token lives in this tab's session and nowhere else.
import { signal } from "../lib/signal";

const key = "eke-token";

function stored(): string {
  try {
    return sessionStorage.getItem(key) ?? "";
  } catch {
    return "";
  }
}

export const token = signal(stored());

// wanted is set once the server has refused a request without a token, or with this one.
export const wanted = signal(false);

export function setToken(value: string): void {
  try {
    if (value === "") sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, value);
  } catch {
    // no storage: until the page is left
  }
  wanted.set(false);
  token.set(value);
}
