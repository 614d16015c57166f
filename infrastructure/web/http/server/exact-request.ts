/**
 * What a path may not contain: matrix parameters, a fragment, empty segments, a slash at its end, and percent-encoded
 * characters that need no encoding (RFC 3986, "unreserved"). A proxy that compares paths as text would otherwise let
 * another spelling of a path pass.
 */
const INEXACT = /[;#]|\/\/|.\/$|%(?:2[de]|3\d|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])/iu

/** The path of a request target, also when the target is a whole URL. */
export const pathOfTarget = (target: string): string => {
  const end = target.indexOf("?")
  const beforeQuery = end === -1 ? target : target.slice(0, end)
  return beforeQuery.startsWith("/") ? beforeQuery : beforeQuery.replace(/^https?:\/\/[^/]*/iu, "")
}

/** Whether the path of a request target has one spelling only. The router compares its letters exactly. */
export const isExactTarget = (target: string): boolean => !INEXACT.test(pathOfTarget(target))

/** Headers that may occur once, by their length. The lengths differ, so most headers need no comparison. */
const SINGLE_HEADERS: Readonly<Record<number, string>> = {
  4: "host",
  13: "authorization",
  14: "content-length",
  15: "idempotency-key"
}

/** The first header that occurs twice and may not; undefined when there is none. Names and values alternate. */
export const repeatedHeader = (rawHeaders: ReadonlyArray<string>): string | undefined => {
  let seen = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ""
    const single = SINGLE_HEADERS[name.length]
    if (single === undefined || single !== name.toLowerCase()) continue
    const bit = 1 << name.length
    if ((seen & bit) !== 0) return name
    seen |= bit
  }
  return undefined
}
