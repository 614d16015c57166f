/** The vertical axis of a plot, from 0 up. */
export interface Scale {
  /** At least 1. */
  readonly max: number
  /** Values with a line and a label, smallest first. */
  readonly ticks: ReadonlyArray<number>
}

/** Ends of an axis between two powers of ten. */
const ENDS = [1, 2, 3, 4, 5, 6, 8, 10] as const

/** Counts need a whole number in the middle of the axis. */
const hasMiddle = (end: number): boolean => end === 1 || end % 2 === 0

/** The smallest axis with round numbers on which every value has a place. */
export const scaleOf = (values: ReadonlyArray<number | null>): Scale => {
  const highest = values.reduce<number>((max, value) => Math.max(max, value ?? 0), 1)
  const power = 10 ** Math.floor(Math.log10(highest))
  const max = ENDS.map((end) => end * power).find((end) => end >= highest && hasMiddle(end)) ?? 10 * power
  return { max, ticks: max === 1 ? [0, 1] : [0, max / 2, max] }
}

/** A coordinate in SVG: more digits change no pixel. */
export const coordinate = (value: number): string => String(Math.round(value * 100) / 100)

/** A place along the horizontal axis, so that one picture fits each width. */
export const percent = (part: number): string => `${coordinate(part * 100)}%`
