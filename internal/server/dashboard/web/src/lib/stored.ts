// Small things that this browser remembers: never tokens.

export function recall(key: string): string | null {
  try {
    return localStorage.getItem(`eke-${key}`);
  } catch {
    return null;
  }
}

export function remember(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(`eke-${key}`);
    else localStorage.setItem(`eke-${key}`, value);
  } catch {
    // no storage: until the page is left
  }
}
