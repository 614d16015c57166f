import { Result } from "effect"
import { EgressError } from "../../ports/egress.ts"

export type Scheme = "http" | "https"

/**
 * Reads a URL that somebody else chose, relative to `base` where it comes from a redirect.
 *
 * The URL parser turns every spelling of an IPv4 host (decimal, octal, hexadecimal, short, full-width digits) into the
 * plain one, so what is judged later is what would be connected to. Fails with `invalid-url` or `protocol`; neither
 * keeps the text, as it may hold a password.
 */
export const parseTarget = (
  text: string,
  schemes: ReadonlyArray<Scheme>,
  base?: URL
): Result.Result<URL, EgressError> => {
  const url = URL.parse(text, base?.href)
  if (url === null) return refuse("invalid-url", "not a URL")
  if (!schemes.some((scheme) => url.protocol === `${scheme}:`)) {
    return refuse("protocol", `${url.protocol.slice(0, -1)} is not taken, only ${schemes.join(" or ")}`)
  }
  if (url.username !== "" || url.password !== "") return refuse("invalid-url", "a URL must not hold a user or password")
  return Result.succeed(url)
}

/** The host without the brackets of an IPv6 literal and without the dot that ends an absolute name. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/gu, "").replace(/\.$/u, "")

const refuse = (reason: "invalid-url" | "protocol", detail: string): Result.Result<never, EgressError> =>
  Result.fail(new EgressError({ reason, detail }))
