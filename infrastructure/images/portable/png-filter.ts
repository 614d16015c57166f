/** A row of samples as it was stored, to be restored in place. */
export interface PngFilterRow {
  /** Number of the filter, as the row begins with it. */
  readonly filter: number
  readonly row: Uint8Array
  /** The row above of the same pass, restored; zeros above the first one. */
  readonly previous: Uint8Array
  /** Bytes from a sample to the same sample of the pixel to its right, at least 1. */
  readonly step: number
}

/** Undoes the filter of a row (W3C PNG, section 9). Throws on an unknown filter. */
export const unfilter = ({ filter, previous, row, step }: PngFilterRow): void => {
  const predict = predictors[filter]
  if (predict === undefined) throw new Error(`no filter ${filter}`)
  if (filter === 0) return
  for (let at = 0; at < row.length; at++) {
    const left = at < step ? 0 : row[at - step] ?? 0
    const above = previous[at] ?? 0
    const corner = at < step ? 0 : previous[at - step] ?? 0
    row[at] = (row[at] ?? 0) + predict(left, above, corner)
  }
}

const paeth = (left: number, above: number, corner: number): number => {
  const estimate = left + above - corner
  const toLeft = Math.abs(estimate - left)
  const toAbove = Math.abs(estimate - above)
  const toCorner = Math.abs(estimate - corner)
  return toLeft <= toAbove && toLeft <= toCorner ? left : toAbove <= toCorner ? above : corner
}

const predictors: ReadonlyArray<(left: number, above: number, corner: number) => number> = [
  () => 0,
  (left) => left,
  (_, above) => above,
  (left, above) => (left + above) >> 1,
  paeth
]
