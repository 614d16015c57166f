/** The value below which a share (0 to 1) of the numbers lies; NaN without numbers. */
export const quantile = (numbers: ArrayLike<number>, share: number): number => {
  const sorted = Float64Array.from(numbers).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export const median = (numbers: ArrayLike<number>): number => quantile(numbers, 0.5)

export const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((total, number) => total + number, 0)
