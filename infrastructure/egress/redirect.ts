import { Result } from "effect"
import { EgressError } from "../../ports/egress.ts"
import type { Head } from "./exchange.ts"
import { parseTarget, type Scheme } from "./target.ts"

/** What is asked of one hop. Header names are in lower case. */
export interface Leg {
  readonly url: URL
  readonly method: "GET" | "POST"
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | undefined
}

/** Where the answer points to, if it is a redirect that can be followed. */
export const locationOf = ({ status, headers }: Head): string | undefined =>
  redirects.has(status) ? headers["location"] : undefined

/**
 * The next hop, as the Fetch standard has it: 303, and 301 or 302 after a POST, go on as a GET without a body.
 *
 * Secrets and signatures stay with the origin they were meant for. Leaving https is refused with `protocol`, whatever
 * `schemes` says: what was asked for in secret is not fetched in the open. Fails like `parseTarget` otherwise.
 */
export const redirected = (
  leg: Leg,
  status: number,
  location: string,
  schemes: ReadonlyArray<Scheme>
): Result.Result<Leg, EgressError> =>
  Result.flatMap(parseTarget(location, schemes, leg.url), (url) => {
    if (leg.url.protocol === "https:" && url.protocol !== "https:") {
      return Result.fail(new EgressError({ reason: "protocol", detail: "redirected from https to http" }))
    }
    const becomesGet = status === 303 || (leg.method === "POST" && status < 303)
    const kept = Object.entries(leg.headers).filter(([name]) =>
      !(url.origin !== leg.url.origin && secret.test(name)) && !(becomesGet && name.startsWith("content-"))
    )
    return Result.succeed({
      url,
      method: becomesGet ? "GET" : leg.method,
      headers: Object.fromEntries(kept),
      body: becomesGet ? undefined : leg.body
    })
  })

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

const secret = /^(authorization|proxy-authorization|cookie|x-.*(signature|key|token|secret).*|webhook-.*)$/u
