/**
 * The search of the documentation. The server uses it for `/docs/search`, and the page loads it for the box in the
 * header, so that both find the same.
 */

/** The longest query, in characters; what follows is ignored. */
export const MAX_QUERY = 100

const MAX_WORDS = 8

/** Text in the form in which it is compared. */
const folded = (text) => text.normalize("NFKC").toLowerCase()

/** The words of a query. @param {string} query */
const wordsOf = (query) => [...new Set(folded(query).match(/[\p{L}\p{M}\p{N}_]+/gu) ?? [])].slice(0, MAX_WORDS)

/**
 * Text as the index has it: its words, and the parts of names such as `isDuplicate` and `SLIP_PENDING`, each once and
 * after a space. @param {string} text
 */
export const indexed = (text) => {
  const parts = text.replace(/([\p{Ll}\d])(\p{Lu})/gu, "$1 $2").replaceAll("_", " ")
  const words = folded(`${text} ${parts}`).match(/[\p{L}\p{M}\p{N}_]+/gu) ?? []
  return ` ${[...new Set(words)].join(" ")} `
}

/** Thai has no spaces between words: a Thai word may be anywhere. */
const isThai = (word) => /[\u0e00-\u0e7f]/u.test(word)

/** How well a word matches a text: as a whole, as a beginning, or not. */
const match = (text, word, whole, beginning) => {
  if (text.includes(` ${word} `)) return whole
  return text.includes(isThai(word) ? word : ` ${word}`) ? beginning : 0
}

/**
 * The entries that match a query, the best first: those that have all its words, otherwise those that have some.
 * Entries of the same score keep their order.
 */
export const search = (entries, query, limit = 20) => {
  const asked = query.slice(0, MAX_QUERY)
  const words = wordsOf(asked)
  const whole = folded(asked.trim())
  const found = entries.map((entry) => {
    const scores = words.map((word) => match(entry.names, word, 12, 7) || match(entry.words, word, 3, 2))
    const isNamed = [entry.title, entry.id].some((name) => name !== undefined && folded(name) === whole)
    const total = scores.reduce((sum, score) => sum + score, 0)
    return { entry, matched: scores.filter((score) => score > 0).length, score: total + (isNamed ? 20 : 0) }
  }).filter(({ matched }) => matched > 0)
  const complete = found.filter(({ matched }) => matched === words.length)
  return (complete.length > 0 ? complete : found).sort((one, other) => other.score - one.score).slice(0, limit)
    .map(({ entry }) => entry)
}
