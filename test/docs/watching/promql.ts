/** A metric in an expression, with its label matchers. */
export interface Selector {
  readonly metric: string
  readonly matchers: ReadonlyArray<Matcher>
}

export interface Matcher {
  readonly label: string
  /** The literal values. Empty for a pattern, a variable or a negation. */
  readonly values: ReadonlyArray<string>
}

const KEYWORDS: ReadonlySet<string> = new Set(["and", "or", "unless", "bool"])

/**
 * The metrics of a PromQL expression. The parser knows names, matchers, ranges and groupings only.
 */
export const selectorsIn = (expression: string): ReadonlyArray<Selector> => {
  const bare = expression.replace(/\b(?:by|on|without|ignoring)\s*\([^)]*\)|\[[^\]]*\]/gu, " ")
  return [...bare.matchAll(/(?<![\w.])([a-zA-Z_:][\w:]*)\s*(?:\{([^}]*)\})?\s*(\()?/gu)].flatMap(
    ([, metric = "", matchers = "", call]) =>
      call === undefined && !KEYWORDS.has(metric) ? [{ metric, matchers: matchersIn(matchers) }] : []
  )
}

const matchersIn = (text: string): ReadonlyArray<Matcher> =>
  [...text.matchAll(/(\w+)\s*(=~|=|!~|!=)\s*"([^"]*)"/gu)].map(([, label = "", operator, value = ""]) => ({
    label,
    values: isLiteral(operator, value) ? value.split("|") : []
  }))

const isLiteral = (operator: string | undefined, value: string): boolean =>
  operator === "=" || (operator === "=~" && /^[\w|]+$/u.test(value))

/** The labels of every series of a scrape, by metric name. */
export const seriesOf = (scrape: string): ReadonlyMap<string, ReadonlyArray<ReadonlyMap<string, string>>> => {
  const series = new Map<string, Array<ReadonlyMap<string, string>>>()
  for (const line of scrape.split("\n")) {
    const [, name, labels = ""] = /^(\w+)(?:\{(.*)\})? \S+$/u.exec(line) ?? []
    if (name === undefined) continue
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/gu)].map(([, key = "", value = ""]) =>
      [key, value] as const
    )
    series.set(name, [...series.get(name) ?? [], new Map(pairs)])
  }
  return series
}
