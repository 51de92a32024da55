// Colours from low to high, evenly light to the eye.

type Rgb = readonly [number, number, number];

const viridis: readonly Rgb[] = [[68, 1, 84], [71, 44, 122], [59, 81, 139], [44, 113, 142], [33, 144, 141], [39, 173, 129], [92, 200, 99], [170, 220, 50], [253, 231, 37]];
const purples: readonly Rgb[] = [[247, 245, 250], [218, 214, 235], [181, 176, 214], [146, 132, 191], [114, 84, 165], [84, 39, 143], [63, 0, 125]];
const oranges: readonly Rgb[] = [[255, 245, 235], [254, 221, 185], [253, 184, 122], [247, 142, 65], [224, 98, 20], [174, 62, 3], [110, 36, 4]];

export const ramps = { value: viridis, sd: purples, cost: oranges } as const;
export type RampName = keyof typeof ramps;

export function colour(name: RampName, part: number): Rgb {
  const list = ramps[name];
  const t = Math.min(Math.max(Number.isFinite(part) ? part : 0, 0), 1) * (list.length - 1);
  const k = Math.min(Math.floor(t), list.length - 2);
  const a = list[k] as Rgb;
  const b = list[k + 1] as Rgb;
  const f = t - k;
  return [0, 1, 2].map((i) => Math.round((a[i] as number) + f * ((b[i] as number) - (a[i] as number)))) as unknown as Rgb;
}

export const css = ([r, g, b]: Rgb): string => `rgb(${r} ${g} ${b})`;
