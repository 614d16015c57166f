import { randomUUID } from "node:crypto"
import type { Vault } from "../../../ports/vault.ts"
import { makeSignedSessions, type SessionLimits, type Signed } from "../pages/signed-sessions.ts"

/** The fields that a cookie contains. Times are in milliseconds since 1970. */
interface Fields {
  readonly id: string
  /** The digest of the API key that the session stands for. */
  readonly keyDigest: string
  readonly startedAt: number
  /** When the cookie was made. */
  readonly seenAt: number
}

export interface ShopSession extends Fields, Signed {}

/** Start, last use, id, digest of the key, and the signature. */
const COOKIE = /^(\d{1,15})\.(\d{1,15})\.([0-9a-f-]{36})\.([0-9a-f]{32})\.[0-9a-f]{32}$/u

/** The fields of a cookie, whose signature is not checked yet. */
const parse = (cookie: string): Fields | undefined => {
  const [, startedAt, seenAt, id, keyDigest] = COOKIE.exec(cookie) ?? []
  return id === undefined || keyDigest === undefined
    ? undefined
    : { startedAt: Number(startedAt), seenAt: Number(seenAt), id, keyDigest }
}

/** The sessions of the shop's page, each with the digest of an API key. The cookie cannot be used as an API key. */
export const makeShopSessions = ({ digest }: Pick<Vault["Service"], "digest">, limits: SessionLimits) => {
  const { check, renew, signed } = makeSignedSessions<Fields>(limits, {
    contentOf: ({ id, keyDigest, seenAt, startedAt }) => [startedAt, seenAt, id, keyDigest].join("."),
    signatureOf: (content) => digest("shop-session", content),
    formTokenOf: (id) => digest("shop-form", id)
  })
  return {
    start: (keyDigest: string, now: number): ShopSession =>
      signed({ id: randomUUID(), keyDigest, startedAt: now, seenAt: now }),
    /** The session of a cookie, if there is one. */
    read: (value: string, now: number): ShopSession | undefined => {
      const fields = parse(value)
      return fields === undefined ? undefined : check(value, fields, now)
    },
    renew
  }
}
