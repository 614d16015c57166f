/** Strings of JSON, in which a colon means nothing. */
const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/gsu

/**
 * Whether a JSON text gives some object a name twice. Readers take the first of them, the last or none: what one of them
 * has checked, another one does not see. `value` is what was read from it.
 */
export const hasDuplicateName = (text: string, value: unknown): boolean =>
  text.replaceAll(STRING, "").split(":").length - 1 !== namesIn(value)

/** How many members all objects of a value have. Step by step: it may be nested more deeply than calls can be. */
const namesIn = (value: unknown): number => {
  let count = 0
  const open: Array<unknown> = [value]
  while (open.length > 0) {
    const one = open.pop()
    if (typeof one !== "object" || one === null) continue
    const inside: ReadonlyArray<unknown> = Object.values(one)
    if (!Array.isArray(one)) count += inside.length
    for (const element of inside) open.push(element)
  }
  return count
}
