import { randomUUID, timingSafeEqual } from "node:crypto"
import type { Vault } from "../../ports/vault.ts"
import { sha256 } from "../sha256.ts"

/** Somebody who showed the token, and until when that holds. */
export interface Session {
  /** What stands in the cookie. */
  readonly value: string
  /** What every form of the session brings along. */
  readonly formToken: string
}

export const SESSION_COOKIE = "sliptrail_console"
export const SESSION_SECONDS = 8 * 3_600

/** Equal or not; how long it takes tells nothing of the texts. */
export const isEqual = (one: string, other: string): boolean => timingSafeEqual(sha256(one), sha256(other))

/**
 * Sessions that no process keeps: the cookie says until when it holds, under a keyed digest, so that every process with
 * the same master key and the same token takes it. Another token ends all of them.
 */
export const makeSessions = (token: string, { digest }: Pick<Vault["Service"], "digest">) => {
  const bound = sha256(token).toString("hex")
  const sign = (content: string): string => digest("console-session", `${bound}:${content}`)
  const sessionOf = (value: string): Session => ({ value, formToken: digest("console-form", value) })

  return {
    /** `now` in milliseconds since 1970, here and below. */
    open: (now: number): Session => {
      const content = `${Math.floor(now / 1_000) + SESSION_SECONDS}.${randomUUID()}`
      return sessionOf(`${content}.${sign(content)}`)
    },
    /** The session of a cookie; undefined when it is none of ours, or over. */
    read: (value: string | undefined, now: number): Session | undefined => {
      const [, content = "", until = "", signature = ""] =
        /^((\d{1,12})\.[0-9a-f-]{36})\.([0-9a-f]{32})$/u.exec(value ?? "") ?? []
      if (content === "" || !isEqual(signature, sign(content))) return undefined
      return Number(until) * 1_000 > now ? sessionOf(value ?? "") : undefined
    }
  }
}

/** A cookie of a request. */
export const cookieOf = (header: string | undefined, name: string): string | undefined => {
  for (const part of (header ?? "").split(";")) {
    const at = part.indexOf("=")
    if (at !== -1 && part.slice(0, at).trim() === name) return part.slice(at + 1).trim()
  }
  return undefined
}
