import { isUtf8 } from "node:buffer"
import { Result } from "effect"
import { EgressError, type EgressResponse } from "../../../ports/egress.ts"

export type Scheme = "http" | "https"

/**
 * Parses a URL that a user chose. `base` is the URL of the response that redirects to it.
 *
 * The URL parser normalises every spelling of an IPv4 host (decimal, octal, hexadecimal, short, full-width digits), so
 * that the connection goes to the checked address. Fails with `invalid-url` or `protocol`. The errors do not
 * contain the text, because it can hold a password.
 */
export const parseTarget = (
  text: string,
  schemes: ReadonlyArray<Scheme>,
  base?: URL
): Result.Result<URL, EgressError> => {
  const url = URL.parse(text, base?.href)
  if (url === null) return refuse("invalid-url", "it is not a URL")
  if (!schemes.some((scheme) => url.protocol === `${scheme}:`)) {
    return refuse(
      "protocol",
      `the scheme ${url.protocol.slice(0, -1)} is not supported here, only ${schemes.join(" or ")}`
    )
  }
  if (url.username !== "" || url.password !== "") {
    return refuse("invalid-url", "a URL must not contain a user or a password")
  }
  return Result.succeed(url)
}

/** The host without the brackets of an IPv6 literal and without a trailing dot. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/gu, "").replace(/\.$/u, "")

const refuse = (reason: "invalid-url" | "protocol", detail: string): Result.Result<never, EgressError> =>
  Result.fail(new EgressError({ reason, detail }))

/** The request of one hop. Header names are in lower case. */
export interface HopRequest {
  readonly url: URL
  readonly method: "GET" | "POST"
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | undefined
}

/**
 * The target of a redirect; undefined when the response is not a redirect or names no target. A server may write it in
 * UTF-8, of which a header has one character for each byte.
 */
export const locationOf = ({ status, headers }: Pick<EgressResponse, "status" | "headers">): string | undefined => {
  const location = redirectStatuses.has(status) ? headers["location"] : undefined
  if (location === undefined) return undefined
  const bytes = Buffer.from(location, "latin1")
  return isUtf8(bytes) ? bytes.toString("utf8") : location
}

/**
 * The request of the next hop, by the rules of the Fetch standard: after 303, and after 301 or 302 for a POST, it is a
 * GET without a body.
 *
 * Secrets and signatures are not sent to another origin. A redirect from https to http fails with `protocol`, also when
 * `schemes` contains http. Other failures are those of `parseTarget`.
 */
export const redirected = (
  previous: HopRequest,
  status: number,
  location: string,
  schemes: ReadonlyArray<Scheme>
): Result.Result<HopRequest, EgressError> =>
  Result.flatMap(parseTarget(location, schemes, previous.url), (url) => {
    if (previous.url.protocol === "https:" && url.protocol !== "https:") {
      return Result.fail(new EgressError({ reason: "protocol", detail: "the server redirected from https to http" }))
    }
    const becomesGet = status === 303 || (previous.method === "POST" && status < 303)
    const headers = Object.entries(previous.headers).filter(([name]) =>
      !(url.origin !== previous.url.origin && secretHeader.test(name)) && !(becomesGet && name.startsWith("content-"))
    )
    return Result.succeed({
      url,
      method: becomesGet ? "GET" : previous.method,
      headers: Object.fromEntries(headers),
      body: becomesGet ? undefined : previous.body
    })
  })

const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

const secretHeader = /^(authorization|proxy-authorization|cookie|x-.*(signature|key|token|secret).*|webhook-.*)$/u
