// Trials out of columns. There may be twenty thousand, of whose dates hardly any is ever read: a date becomes text when it is.
import type { Columns, Setting, State, Trial, Value } from "../api/types";

export class BriefTrial implements Trial {
  readonly point: number[] = [];
  constructor(
    readonly number: number,
    readonly state: State,
    readonly setting: Setting,
    readonly value: number | null,
    readonly charged: number,
    readonly wall: number,
    readonly runner: string,
    readonly askedAt: number, // milliseconds since 1970
    readonly finishedAt: number | null,
  ) {}

  get asked(): string {
    return new Date(this.askedAt).toISOString();
  }

  get finished(): string | undefined {
    return this.finishedAt === null ? undefined : new Date(this.finishedAt).toISOString();
  }
}

// finishedAt is when a trial ended, in milliseconds since 1970; 0 if it has not.
export const finishedAt = (t: Trial): number => (t instanceof BriefTrial ? (t.finishedAt ?? 0) : t.finished ? Date.parse(t.finished) : 0);

// trialsOf makes trials of columns. Those that have more than the columns come whole.
export function trialsOf(c: Columns): Trial[] {
  const since = Date.parse(c.since);
  const parameters: [string, (Value | null)[]][] = Object.entries(c.settings);
  const trials = c.state.map((state, i): Trial => {
    const setting: Setting = {};
    for (const [name, list] of parameters) {
      const v = list[i];
      if (v !== null && v !== undefined) setting[name] = v;
    }
    const ended = c.finished[i] ?? null;
    return new BriefTrial(c.first + i, c.states[state] ?? "done", setting, c.values[i] ?? null, c.charged[i] ?? 0, c.wall[i] ?? 0, c.runners[c.runner[i] ?? 0] ?? "", since + (c.asked[i] ?? 0), ended === null ? null : since + ended);
  });
  for (const t of c.more) trials[t.number - c.first] = t;
  return trials;
}
