import type { Finding } from "./figure.ts"

const HEADINGS = ["", "measured", "baseline", "value", "target", ""]

/** Renders findings as lines of text with aligned columns. */
export const table = (findings: ReadonlyArray<Finding>): string => {
  const rows = findings.map(({ baseline, measured, target, value, verdict, what }) => [
    what,
    measured,
    baseline,
    value,
    target,
    verdict === undefined || verdict === "met" ? verdict ?? "" : verdict.toUpperCase()
  ])
  const lines = [HEADINGS, ...rows]
  const widths = HEADINGS.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  return lines
    .map((line) => "  " + line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ").trimEnd())
    .join("\n")
}
