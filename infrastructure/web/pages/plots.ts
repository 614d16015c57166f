import { type Content, type Html, markup, raw, table } from "./html.ts"
import { coordinate, percent, type Scale, scaleOf } from "./plot-scale.ts"

/** A place on the horizontal axis, such as an hour. */
export interface PlotPoint {
  /** In the table and the tooltip. */
  readonly name: string
  /** Below the axis; most points have none. */
  readonly tick?: string | undefined
}

/** Values in the order of the points; null without data. */
export interface PlotSeries {
  readonly name: string
  readonly values: ReadonlyArray<number | null>
}

export interface Plot {
  /** Unique in the page: letters, digits and hyphens. */
  readonly id: string
  readonly title: string
  /** What the plot shows, in a sentence: a screen reader reads it instead of the picture. */
  readonly description: string
  readonly points: ReadonlyArray<PlotPoint>
  /** At most three for bars, and two for lines. */
  readonly series: ReadonlyArray<PlotSeries>
  /** A value as text, for the axis, the tooltips and the table. */
  readonly format: (value: number) => string
  /** The same for the axis, in a few characters. */
  readonly formatAxis?: (value: number) => string
  /** More columns of the table, in the order of the points. */
  readonly columns?: ReadonlyArray<{ readonly name: string; readonly cells: ReadonlyArray<Content> }>
  readonly texts: PlotTexts
}

export interface PlotTexts {
  /** The heading of the points in the table, such as `Hour`. */
  readonly point: string
  /** Opens the table. */
  readonly table: string
  /** Stands in place of a plot without any value. */
  readonly empty: string
}

const HEIGHT = 160
/** Space above the highest value, for its label. */
const TOP = 10
const FLOOR = TOP + HEIGHT
/** Space below the axis, for its labels. */
const BOTTOM = 22

/** Bars that are lower than this would not be seen. */
const MIN_BAR = 2

const heightOf = (scale: Scale, value: number): number => (value / scale.max) * HEIGHT
const yOf = (scale: Scale, value: number): number => FLOOR - heightOf(scale, value)

/**
 * Series stacked on each other at each point. The first is filled, the second hatched and the third outlined, so the plot
 * needs no colour.
 */
export const stackedBars = (plot: Plot): Html => {
  const totals = plot.points.map((_, index) => plot.series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0))
  const scale = scaleOf(totals)
  const width = 1 / Math.max(1, plot.points.length)
  const bars = plot.points.map((_, index) => {
    let top = FLOOR
    return plot.series.map(({ values }, order) => {
      const value = values[index] ?? 0
      if (value === 0) return undefined
      const height = Math.max(MIN_BAR, heightOf(scale, value))
      top -= height
      return markup`<rect ${barLook(plot.id, order)} x="${percent((index + 0.12) * width)}" width="${
        percent(width * 0.76)
      }" y="${coordinate(top)}" height="${coordinate(height)}"/>`
    })
  })
  const swatch = (order: number): Html => markup`<rect ${barLook(plot.id, order)} x="1" y="1" width="14" height="12"/>`
  return figureOf(plot, scale, markup`${hatching(plot.id)}${bars}`, swatch)
}

/** A line for each series: the first is drawn through, the second dashed. Points without data interrupt it. */
export const linePlot = (plot: Plot): Html => {
  const scale = scaleOf(plot.series.flatMap(({ values }) => values))
  const lines = plot.series.map(({ values }, order) => [
    stretched(pathOf(scale, values), order),
    values.map((value, index) =>
      value === null || !isAlone(values, index)
        ? undefined
        : markup`<circle class="plot-dot" cx="${percent(middle(index, values.length))}" cy="${
          coordinate(yOf(scale, value))
        }" r="3"/>`
    )
  ])
  const swatch = (order: number): Html =>
    markup`<line class="plot-line plot-line-${order + 1}" x1="0" x2="16" y1="7" y2="7"/>`
  return figureOf(plot, scale, markup`${lines}`, swatch)
}

const middle = (index: number, count: number): number => (index + 0.5) / count

/** A value without neighbours would be a line of length 0. */
const isAlone = (values: ReadonlyArray<number | null>, index: number): boolean =>
  (values[index - 1] ?? null) === null && (values[index + 1] ?? null) === null

/** The path of a line: x from 0 to 100, y in pixels. */
const pathOf = (scale: Scale, values: ReadonlyArray<number | null>): string =>
  values.map((value, index) => {
    if (value === null) return ""
    const isStart = (values[index - 1] ?? null) === null
    return `${isStart ? "M" : "L"}${coordinate(middle(index, values.length) * 100)} ${coordinate(yOf(scale, value))}`
  }).join("")

/** Paths have no percentages: a picture of its own stretches them, and the stroke keeps its width. */
const stretched = (path: string, order: number): Html =>
  markup`<svg width="100%" height="${FLOOR + BOTTOM}" viewBox="0 0 100 ${
    FLOOR + BOTTOM
  }" preserveAspectRatio="none"><path class="plot-line plot-line-${order + 1}" d="${path}"/></svg>`

const hatchId = (id: string): string => `${id}-hatch`

/** Attributes instead of styles: the content security policy refuses inline styles, and a class cannot name the hatching. */
const barLook = (id: string, order: number): Html =>
  raw(order === 1 ? `class="plot-bar-2" fill="url(#${hatchId(id)})"` : `class="plot-bar-${order + 1}"`)

const hatching = (id: string): Html =>
  markup`<defs><pattern id="${
    hatchId(id)
  }" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="plot-hatch" width="2.4" height="5"/></pattern></defs>`

const figureOf = (plot: Plot, scale: Scale, picture: Content, swatch: (order: number) => Html): Html => {
  const { description, id, points, series, texts, title } = plot
  const isEmpty = series.every(({ values }) => values.every((value) => (value ?? 0) === 0))
  const caption = markup`<figcaption id="${id}-caption">${title}</figcaption>`
  if (isEmpty) return markup`<figure class="plot-figure">${caption}<p class="plot-empty">${texts.empty}</p></figure>`
  const width = 1 / points.length
  const hits = points.map(({ name }, index) =>
    markup`<g><title>${tooltipOf(plot, name, index)}</title><rect class="plot-hit" x="${
      percent(index * width)
    }" width="${percent(width)}" y="0" height="${FLOOR}"/></g>`
  )
  return markup`<figure class="plot-figure">${caption}<ul class="plot-legend">${
    series.map(({ name }, order) =>
      markup`<li><svg width="16" height="14" aria-hidden="true">${swatch(order)}</svg>${name}</li>`
    )
  }</ul><div class="plot-frame">${axisOf(plot, scale)}<svg class="plot-area" width="100%" height="${
    FLOOR + BOTTOM
  }" role="img" aria-labelledby="${id}-caption ${id}-about"><desc id="${id}-about">${description}</desc>${
    scale.ticks.map((tick) =>
      markup`<line class="plot-grid" x1="0" x2="100%" y1="${yOf(scale, tick)}" y2="${yOf(scale, tick)}"/>`
    )
  }${picture}${
    points.map(({ tick }, index) =>
      tick === undefined
        ? undefined
        : markup`<text x="${percent(middle(index, points.length))}" y="${
          FLOOR + 16
        }" text-anchor="middle">${tick}</text>`
    )
  }${hits}</svg></div><details class="plot-table"><summary>${texts.table}<span class="unseen">: ${title}</span></summary>${
    tableOf(plot)
  }</details></figure>`
}

/** The labels of the vertical axis. The table says the same, so screen readers skip them. */
const axisOf = ({ format, formatAxis = format }: Plot, scale: Scale): Html =>
  markup`<svg class="plot-axis" width="100%" height="${FLOOR + BOTTOM}" aria-hidden="true">${
    scale.ticks.map((tick) =>
      markup`<text x="100%" y="${coordinate(yOf(scale, tick) + 4)}" text-anchor="end">${formatAxis(tick)}</text>`
    )
  }</svg>`

const textOf = ({ format }: Plot, value: number | null | undefined): string =>
  value === null || value === undefined ? "–" : format(value)

const tooltipOf = (plot: Plot, point: string, index: number): string =>
  [point, ...plot.series.map(({ name, values }) => `${name}: ${textOf(plot, values[index])}`)].join("\n")

const tableOf = (plot: Plot): Html => {
  const { columns = [], points, series, texts, title } = plot
  const headings = [texts.point, ...series.map(({ name }) => name), ...columns.map(({ name }) => name)]
  const rows = points.map(({ name }, index) => [
    name,
    ...series.map(({ values }) => textOf(plot, values[index])),
    ...columns.map(({ cells }) => cells[index])
  ])
  return table(title, headings, rows)
}
