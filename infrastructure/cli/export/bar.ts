const WIDTH = 24

/** How much is done, as a bar: `[######------------------]  25 %`. */
export const bar = (done: number, of: number): string => {
  const part = of <= 0 ? 1 : Math.min(1, Math.max(0, done / of))
  const filled = Math.floor(part * WIDTH)
  return `[${"#".repeat(filled)}${"-".repeat(WIDTH - filled)}] ${String(Math.floor(part * 100)).padStart(3)} %`
}
