/** Replies of our own scripts. What is not of the shape that they give is a fault of this program, and thrown. */
export const listOf = (reply: unknown): ReadonlyArray<unknown> => {
  if (Array.isArray(reply)) return reply
  throw new Error(`a list was expected from Redis, not ${typeof reply}`)
}

export const textOf = (reply: unknown): string => {
  if (typeof reply === "string") return reply
  throw new Error(`a text was expected from Redis, not ${typeof reply}`)
}

export const textsOf = (reply: unknown): ReadonlyArray<string> => listOf(reply).map(textOf)

/** Texts that come as name, value, name, value. */
export const pairsOf = (reply: unknown): ReadonlyArray<readonly [string, string]> => {
  const texts = textsOf(reply)
  return Array.from({ length: texts.length / 2 }, (_, index) => [texts[2 * index] ?? "", texts[2 * index + 1] ?? ""])
}

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
