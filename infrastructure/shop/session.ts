import { randomUUID } from "node:crypto"
import type { Vault } from "../../ports/vault.ts"
import { isSessionOpen, needsRenewal, type SessionLimits } from "../pages/session-limits.ts"
import { isEqual } from "../sha256.ts"

/** Times are in milliseconds since 1970. */
export interface ShopSession {
  readonly id: string
  /** The digest of the API key that the session stands for. */
  readonly keyDigest: string
  readonly startedAt: number
  /** When the cookie was made. */
  readonly seenAt: number
  /** When the session ends at the latest. */
  readonly expiresAt: number
  /** The value of the cookie. */
  readonly value: string
  /** Must come with every form of the session, against cross-site request forgery. */
  readonly formToken: string
}

/** Start, last use, id, digest of the key, and the signature. */
const COOKIE = /^(\d{1,15})\.(\d{1,15})\.([0-9a-f-]{36})\.([0-9a-f]{32})\.[0-9a-f]{32}$/u

type Fields = Pick<ShopSession, "id" | "keyDigest" | "startedAt" | "seenAt">

/** The fields of a cookie, whose signature is not checked yet. */
const parse = (cookie: string): Fields | undefined => {
  const [, startedAt, seenAt, id, keyDigest] = COOKIE.exec(cookie) ?? []
  return id === undefined || keyDigest === undefined
    ? undefined
    : { startedAt: Number(startedAt), seenAt: Number(seenAt), id, keyDigest }
}

/**
 * Sessions of the shop's page without storage: the cookie holds the digest of an API key, start and last use under a
 * keyed digest. Every process with the same master key accepts it. The cookie cannot be used as an API key.
 */
export const makeShopSessions = ({ digest }: Pick<Vault["Service"], "digest">, limits: SessionLimits) => {
  const sessionOf = (fields: Fields): ShopSession => {
    const { id, keyDigest, seenAt, startedAt } = fields
    const content = [startedAt, seenAt, id, keyDigest].join(".")
    return {
      ...fields,
      expiresAt: startedAt + limits.maxMillis,
      value: `${content}.${digest("shop-session", content)}`,
      formToken: digest("shop-form", id)
    }
  }

  return {
    start: (keyDigest: string, now: number): ShopSession =>
      sessionOf({ id: randomUUID(), keyDigest, startedAt: now, seenAt: now }),
    /** The session of a cookie; undefined when the cookie is forged, has expired, or was not used for too long. */
    read: (value: string, now: number): ShopSession | undefined => {
      const fields = parse(value)
      if (fields === undefined) return undefined
      const session = sessionOf(fields)
      return isEqual(session.value, value) && isSessionOpen(session, limits, now) ? session : undefined
    },
    /** The session with a new time of its last use; undefined when its cookie is still new. */
    renew: (session: ShopSession, now: number): ShopSession | undefined =>
      needsRenewal(session, limits, now) ? sessionOf({ ...session, seenAt: now }) : undefined
  }
}
