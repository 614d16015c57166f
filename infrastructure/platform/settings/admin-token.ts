const MIN_BITS = 128
/** A random token of the required length has fewer different characters once in more than a thousand times. */
const MIN_DISTINCT = 8

/** Bits of entropy of a random character, by the smallest alphabet that has all characters of the token. */
const bitsPerCharacter = (token: string): number => {
  if (/^\d+$/u.test(token)) return Math.log2(10)
  return /^(?:[\da-f]+|[\dA-F]+)$/u.test(token) ? 4 : 6
}

const advice = "Create a token with: openssl rand -hex 32"

/**
 * Why a token is refused; undefined when it is accepted. A token must have at least 128 bits of entropy, if it is random:
 * 22 characters, 32 hexadecimal digits or 39 decimal digits, with at least 8 different characters.
 */
export const adminTokenFault = (token: string): string | undefined => {
  if (!/^[\x21-\x7e]+$/u.test(token)) {
    return `ADMIN_TOKEN: only printable ASCII without spaces can be sent. ${advice}`
  }
  const isLong = token.length * bitsPerCharacter(token) >= MIN_BITS
  if (isLong && new Set(token).size >= MIN_DISTINCT) return undefined
  return "ADMIN_TOKEN: the token can be guessed. It needs at least 22 characters (32 if all are hexadecimal digits) "
    + `and ${MIN_DISTINCT} different ones. ${advice}`
}
