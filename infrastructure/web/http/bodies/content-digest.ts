import { createHash, type Hash } from "node:crypto"
import type { Fields } from "../../input/decode.ts"

// Runs in the body thread too: it loads no Effect.

/**
 * A digest of the route, such as `POST /v2/verify/bank`, and the fields. The body's bytes may differ when a request is
 * sent again: a form has another boundary, and JSON fields may have another order.
 */
export const contentDigest = (route: string, fields: Fields): string => {
  const hash = createHash("sha256").update(route)
  for (const name of Object.keys(fields).sort()) addField(hash, name, fields[name])
  return hash.digest("hex")
}

/** Writes the length before each part, so that different fields never give the same bytes. */
const addField = (hash: Hash, name: string, value: unknown) => {
  const content = value instanceof Uint8Array ? value : JSON.stringify(value)
  hash.update(`\n${JSON.stringify(name)} ${content.length} `).update(content)
}
