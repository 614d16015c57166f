import { isEqual } from "../../platform/sha256.ts"

/** The lifetime of a session, such as `CONSOLE_SESSION_TIMEOUT` and `CONSOLE_IDLE_TIMEOUT`. */
export interface SessionLimits {
  readonly maxMillis: number
  /** A session ends this long after its last request. */
  readonly idleMillis: number
}

/** A request renews the cookie when it is older than this share of the idle time. */
const RENEWAL_SHARE = 0.1

/** What the cookie of every session holds. Times are in milliseconds since 1970. */
interface SessionFields {
  readonly id: string
  readonly startedAt: number
  /** When the cookie was made. */
  readonly seenAt: number
}

/** What follows from the fields of a session. */
export interface Signed {
  /** When the session ends at the latest, in milliseconds since 1970. */
  readonly expiresAt: number
  /** The value of the cookie. */
  readonly value: string
  /** Must come with every form of the session, against cross-site request forgery. */
  readonly formToken: string
}

interface Signing<Fields> {
  /** The fields as the cookie holds them; without the signature, which follows after a point. */
  readonly contentOf: (fields: Fields) => string
  readonly signatureOf: (content: string, fields: Fields) => string
  readonly formTokenOf: (id: string) => string
}

/**
 * Sessions without storage: the cookie holds the fields of a session and a keyed digest of them. Every process with the
 * same master key accepts it.
 */
export const makeSignedSessions = <Fields extends SessionFields>(
  { idleMillis, maxMillis }: SessionLimits,
  { contentOf, formTokenOf, signatureOf }: Signing<Fields>
) => {
  const signed = (fields: Fields): Fields & Signed => {
    const content = contentOf(fields)
    return {
      ...fields,
      expiresAt: fields.startedAt + maxMillis,
      value: `${content}.${signatureOf(content, fields)}`,
      formToken: formTokenOf(fields.id)
    }
  }

  return {
    signed,
    /** The session whose cookie has these fields; undefined when the cookie is forged, has expired, or was not used for too long. */
    check: (value: string, fields: Fields, now: number): Fields & Signed | undefined => {
      const session = signed(fields)
      const isOpen = session.expiresAt > now && session.seenAt + idleMillis > now
      return isOpen && isEqual(session.value, value) ? session : undefined
    },
    /** The session with a new time of its last use, so that the idle time begins again; undefined for a new cookie. */
    renew: (session: Fields & Signed, now: number): Fields & Signed | undefined =>
      now - session.seenAt >= idleMillis * RENEWAL_SHARE ? signed({ ...session, seenAt: now }) : undefined
  }
}
