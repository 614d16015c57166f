import { type Html, markup } from "../http/html.ts"
import type { Words } from "./messages/en.ts"

const HEIGHT = 150
/** Above the bars, for the word at the line of the quota; below them, for the days. */
const TOP = 18
const BOTTOM = 20

/** A quota that is so far away that the bars beside it would vanish is not drawn. */
const FARTHEST = 5

interface Use {
  /** How many were charged on each day so far. */
  readonly days: ReadonlyArray<number>
  /** How many days the month has. */
  readonly ofMonth: number
  readonly quota: number | null
}

/**
 * Use over a month: a bar for each day, as high as all that was used by then, its own part on top. The line is the
 * quota.
 */
export const quotaPlot = (words: Words, month: string, { days, ofMonth, quota }: Use): Html => {
  const total = days.reduce((sum, count) => sum + count, 0)
  const isNear = quota !== null && quota > 0 && quota <= Math.max(1, total) * FARTHEST
  const most = Math.max(1, total, isNear ? quota : 0)
  const floor = TOP + HEIGHT
  const yOf = (count: number): number => floor - (count / most) * HEIGHT
  const width = 100 / ofMonth
  let sum = 0

  return markup`<svg class="plot" width="100%" height="${floor + BOTTOM}" role="img" aria-label="${
    words.branch.plot(month)
  }">
<line class="axis" x1="0" x2="100%" y1="${floor}" y2="${floor}"/>${
    days.map((count, index) => {
      const before = sum
      sum += count
      const x = `${(index * width + width * 0.12).toFixed(2)}%`
      const bar = `${(width * 0.76).toFixed(2)}%`
      return markup`<g><title>${
        words.branch.perDay(index + 1, count, sum)
      }</title><rect class="before" x="${x}" width="${bar}" y="${yOf(before).toFixed(1)}" height="${
        (floor - yOf(before)).toFixed(1)
      }"/><rect class="day" x="${x}" width="${bar}" y="${yOf(sum).toFixed(1)}" height="${
        (yOf(before) - yOf(sum)).toFixed(1)
      }"/></g>`
    })
  }${
    isNear
      ? markup`<line class="limit" x1="0" x2="100%" y1="${yOf(quota).toFixed(1)}" y2="${
        yOf(quota).toFixed(1)
      }"/><text x="100%" y="${(yOf(quota) - 5).toFixed(1)}" text-anchor="end">${words.branch.limit} ${quota}</text>`
      : undefined
  }${
    [1, 10, 20, ofMonth].map((day) =>
      markup`<text x="${((day - 0.5) * width).toFixed(2)}%" y="${floor + 15}" text-anchor="middle">${day}</text>`
    )
  }</svg>`
}
