import { type Column, type Shown, swapped } from "../lib/sort";
import { Menu } from "./Menu";

interface Props {
  list: Column[]; // in their order
  shown: Shown;
  onShow: (s: Shown | null) => void;
}

// Columns lets people choose the columns of a table and their order.
export function Columns({ list, shown, onShow }: Props) {
  const toggle = (key: string) => onShow({ ...shown, hidden: shown.hidden.includes(key) ? shown.hidden.filter((k) => k !== key) : [...shown.hidden, key] });
  const move = (key: string, by: -1 | 1) => onShow({ ...shown, order: swapped(list, key, by) });
  return (
    <Menu class="columns" testid="columns" button="Columns">
      <ul>
        {list.map((c, k) => (
          <li key={c.key}>
            <label>
              <input type="checkbox" checked={!shown.hidden.includes(c.key)} disabled={c.key === "number"} onChange={() => toggle(c.key)} data-testid={`column-${c.key}`} /> {c.name}
            </label>
            <button type="button" class="quiet" disabled={k === 0} onClick={() => move(c.key, -1)} aria-label={`move ${c.name} to the left`} data-testid={`left-${c.key}`}>
              ←
            </button>
            <button type="button" class="quiet" disabled={k === list.length - 1} onClick={() => move(c.key, 1)} aria-label={`move ${c.name} to the right`} data-testid={`right-${c.key}`}>
              →
            </button>
          </li>
        ))}
      </ul>
      <button type="button" onClick={() => onShow(null)}>
        As usual
      </button>
    </Menu>
  );
}
