import { randomUUID, timingSafeEqual } from "node:crypto"
import type { Vault } from "../../ports/vault.ts"
import { sha256 } from "../sha256.ts"

export interface Session {
  /** The value of the cookie. */
  readonly value: string
  /** Must come with every form of the session, against cross-site request forgery. */
  readonly formToken: string
}

export const SESSION_COOKIE = "sliptrail_console"
export const SESSION_SECONDS = 8 * 3_600

/** Compares in constant time. */
export const isEqual = (one: string, other: string): boolean => timingSafeEqual(sha256(one), sha256(other))

/**
 * Sessions without storage: the cookie holds its expiry under a keyed digest. Every process with the same master key and
 * admin token accepts it. Another token ends all sessions. Times are in milliseconds since 1970.
 */
export const makeSessions = (token: string, { digest }: Pick<Vault["Service"], "digest">) => {
  const tokenDigest = sha256(token).toString("hex")
  const sign = (content: string): string => digest("console-session", `${tokenDigest}:${content}`)
  const sessionOf = (value: string): Session => ({ value, formToken: digest("console-form", value) })

  return {
    start: (now: number): Session => {
      const content = `${Math.floor(now / 1_000) + SESSION_SECONDS}.${randomUUID()}`
      return sessionOf(`${content}.${sign(content)}`)
    },
    /** The session of a cookie; undefined when the cookie is forged or has expired. */
    read: (value: string | undefined, now: number): Session | undefined => {
      const [, content = "", until = "", signature = ""] =
        /^((\d{1,12})\.[0-9a-f-]{36})\.([0-9a-f]{32})$/u.exec(value ?? "") ?? []
      if (content === "" || !isEqual(signature, sign(content))) return undefined
      return Number(until) * 1_000 > now ? sessionOf(value ?? "") : undefined
    }
  }
}
