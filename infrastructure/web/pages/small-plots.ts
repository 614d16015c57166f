import { type Html, markup } from "./html.ts"
import { coordinate, percent } from "./plot-scale.ts"

const HEIGHT = 32
/** Keeps the stroke inside the picture. */
const MARGIN = 2

/**
 * A line without axes, from 0 to the highest value. Values are oldest first; null without data. `label` says the same in
 * words.
 */
export const sparkline = (label: string, values: ReadonlyArray<number | null>): Html => {
  const max = values.reduce<number>((highest, value) => Math.max(highest, value ?? 0), 0) || 1
  const xOf = (index: number): number => values.length < 2 ? 50 : (index / (values.length - 1)) * 100
  const yOf = (value: number): number => HEIGHT - MARGIN - (value / max) * (HEIGHT - 2 * MARGIN)
  const isKnown = (index: number): boolean => (values[index] ?? null) !== null
  const path = values.map((value, index) => {
    if (value === null) return ""
    const place = `${coordinate(xOf(index))} ${coordinate(yOf(value))}`
    // A round end makes a line of length 0 a dot.
    return isKnown(index - 1) ? `L${place}` : `M${place}${isKnown(index + 1) ? "" : "h0"}`
  }).join("")
  return markup`<svg class="plot-spark" width="100%" height="${HEIGHT}" viewBox="0 0 100 ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}"><line class="plot-grid" x1="0" x2="100" y1="${
    HEIGHT - 1
  }" y2="${HEIGHT - 1}"/><path class="plot-line plot-line-1" d="${path}"/></svg>`
}

/** From this part of a limit on, the bar warns. */
const NEARLY_ALL = 0.9

/**
 * Use against a limit, as a bar. `label` says the same in words. A use beyond the limit fills the bar. The last tenth is
 * marked, so that the warning needs no colour.
 */
export const useBar = (label: string, used: number, limit: number): Html => {
  const part = limit <= 0 ? 1 : Math.min(1, Math.max(0, used / limit))
  return markup`<svg class="plot-use${
    part >= NEARLY_ALL ? " plot-use-full" : ""
  }" width="100%" height="16" role="img" aria-label="${label}"><rect class="plot-use-all" x="0" y="2" width="100%" height="12"/><rect class="plot-use-part" x="0" y="2" width="${
    percent(part)
  }" height="12"/><line class="plot-use-mark" x1="${percent(NEARLY_ALL)}" x2="${
    percent(NEARLY_ALL)
  }" y1="0" y2="16"/></svg>`
}
