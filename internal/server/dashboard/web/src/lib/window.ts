// Which rows of a long table are worth drawing.

export interface Window {
  from: number;
  to: number; // not drawn any more
  above: number; // pixels of rows left out
  below: number;
}

export function rowWindow(scroll: number, height: number, row: number, count: number, spare = 8): Window {
  const most = Math.max(0, count * row - height);
  const top = Math.min(Math.max(scroll, 0), most);
  const from = Math.max(0, Math.floor(top / row) - spare);
  const to = Math.min(count, Math.ceil((top + height) / row) + spare);
  return { from, to, above: from * row, below: (count - to) * row };
}
