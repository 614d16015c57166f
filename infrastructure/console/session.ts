import { randomUUID, timingSafeEqual } from "node:crypto"
import type { Vault } from "../../ports/vault.ts"
import { sha256 } from "../sha256.ts"

export interface Session {
  readonly id: string
  /** The epoch in which it started (domain/console-sessions.ts). */
  readonly epoch: number
  /** When it started, when its cookie was made, and when it ends at the latest. Milliseconds since 1970. */
  readonly startedAt: number
  readonly seenAt: number
  readonly expiresAt: number
  /** The value of the cookie. */
  readonly value: string
  /** Must come with every form of the session, against cross-site request forgery. */
  readonly formToken: string
}

/** The lifetime of a session (settings `CONSOLE_SESSION_TIMEOUT` and `CONSOLE_IDLE_TIMEOUT`). */
export interface SessionLimits {
  readonly maxMillis: number
  /** A session ends this long after its last request. */
  readonly idleMillis: number
}

/** A request renews the cookie when it is older than this share of the idle time. */
const RENEWAL_SHARE = 0.1

/** Compares in constant time. */
export const isEqual = (one: string, other: string): boolean => timingSafeEqual(sha256(one), sha256(other))

const COOKIE = /^((\d{1,15})\.(\d{1,15})\.(\d{1,9})\.([0-9a-f-]{36}))\.([0-9a-f]{32})$/u

/**
 * Sessions without storage: the cookie holds start, last use and epoch under a keyed digest. Every process with the same
 * master key and admin token accepts it. Another token ends all sessions. Times are in milliseconds since 1970.
 */
export const makeSessions = (
  token: string,
  { digest }: Pick<Vault["Service"], "digest">,
  { idleMillis, maxMillis }: SessionLimits
) => {
  const tokenDigest = sha256(token).toString("hex")
  const sign = (content: string): string => digest("console-session", `${tokenDigest}:${content}`)

  const sessionOf = (fields: Pick<Session, "epoch" | "id" | "seenAt" | "startedAt">): Session => {
    const { epoch, id, seenAt, startedAt } = fields
    const content = `${startedAt}.${seenAt}.${epoch}.${id}`
    return {
      ...fields,
      expiresAt: startedAt + maxMillis,
      value: `${content}.${sign(content)}`,
      formToken: digest("console-form", id)
    }
  }

  return {
    start: (now: number, epoch: number): Session => sessionOf({ id: randomUUID(), epoch, startedAt: now, seenAt: now }),
    /** The session of a cookie; undefined when the cookie is forged, has expired, or was not used for too long. */
    read: (value: string | undefined, now: number): Session | undefined => {
      const [, content = "", startedAt, seenAt, epoch, id = "", signature = ""] = COOKIE.exec(value ?? "") ?? []
      if (content === "" || !isEqual(signature, sign(content))) return undefined
      const session = sessionOf({ id, epoch: Number(epoch), startedAt: Number(startedAt), seenAt: Number(seenAt) })
      return session.expiresAt > now && session.seenAt + idleMillis > now ? session : undefined
    },
    /** The session with a new time of its last use; undefined when its cookie is still new. */
    renew: (session: Session, now: number): Session | undefined =>
      now - session.seenAt < idleMillis * RENEWAL_SHARE ? undefined : sessionOf({ ...session, seenAt: now })
  }
}
