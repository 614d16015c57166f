/**
 * The wait that a header `Retry-After` asks for: seconds, or a date (RFC 9110). In milliseconds from `now`, which is in
 * milliseconds since 1970; 0 for a date in the past. Undefined for any other text. It has no upper bound: see `waits.ts`.
 */
export const retryAfterMillis = (header: string | undefined, now: number): number | undefined => {
  const text = header?.trim() ?? ""
  if (/^\d+$/u.test(text)) return Number(text) * 1_000
  // Date.parse would accept almost any text, and would read a date without a zone as local time.
  if (!/^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? /iu.test(text)) return undefined
  const at = Date.parse(/(?:GMT|UTC|Z|[+-]\d{4})$/u.test(text) ? text : `${text} GMT`)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}
