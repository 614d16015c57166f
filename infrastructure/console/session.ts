import { randomUUID } from "node:crypto"
import { OperatorRole } from "../../domain/operators.ts"
import { SignInSource } from "../../domain/sign-in.ts"
import type { Vault } from "../../ports/vault.ts"
import { isSessionOpen, needsRenewal, type SessionLimits } from "../pages/session-limits.ts"
import { isEqual } from "../sha256.ts"

/** Who signed in, and how. */
export interface SignedIn {
  /** The operator's name. */
  readonly name: string
  /** The role at the time of signing in. */
  readonly role: OperatorRole
  readonly source: SignInSource
}

export interface Session extends SignedIn {
  readonly id: string
  /** The epoch in which it started (domain/console-sessions.ts). */
  readonly epoch: number
  /** When it started, when its cookie was made, and when it ends at the latest. Milliseconds since 1970. */
  readonly startedAt: number
  readonly seenAt: number
  readonly expiresAt: number
  /** What the cookie is signed with. The session ends when its operator gets another one, such as a new token. */
  readonly credential: string
  /** The value of the cookie. */
  readonly value: string
  /** Must come with every form of the session, against cross-site request forgery. */
  readonly formToken: string
}

/** Start, last use, epoch, id, source, role, the name in base64url, and the signature. */
const COOKIE =
  /^(\d{1,15})\.(\d{1,15})\.(\d{1,9})\.([0-9a-f-]{36})\.([a-z]+)\.([a-z]+)\.([\w-]{1,1024})\.[0-9a-f]{32}$/u

/** The fields that a cookie contains. */
type Fields = Omit<Session, "credential" | "expiresAt" | "value" | "formToken">

/** The fields of a cookie, whose signature is not checked yet. */
const parse = (cookie: string): Fields | undefined => {
  const [, startedAt, seenAt, epoch, id = "", source, role, name = ""] = COOKIE.exec(cookie) ?? []
  const knownRole = OperatorRole.literals.find((literal) => literal === role)
  const knownSource = SignInSource.literals.find((literal) => literal === source)
  if (knownRole === undefined || knownSource === undefined) return undefined
  return {
    startedAt: Number(startedAt),
    seenAt: Number(seenAt),
    epoch: Number(epoch),
    id,
    source: knownSource,
    role: knownRole,
    name: Buffer.from(name, "base64url").toString()
  }
}

const contentOf = ({ epoch, id, name, role, seenAt, source, startedAt }: Fields): string =>
  [startedAt, seenAt, epoch, id, source, role, Buffer.from(name).toString("base64url")].join(".")

/**
 * Sessions without storage: the cookie holds the operator, start, last use and epoch under a keyed digest. Every process
 * with the same master key accepts it. The digest includes the credential of the operator, which no cookie contains. Times
 * are in milliseconds since 1970.
 */
export const makeSessions = (
  { digest }: Pick<Vault["Service"], "digest">,
  limits: SessionLimits
) => {
  const sign = (credential: string, content: string): string => digest("console-session", `${credential}:${content}`)

  const sessionOf = (fields: Fields, credential: string): Session => {
    const content = contentOf(fields)
    return {
      ...fields,
      credential,
      expiresAt: fields.startedAt + limits.maxMillis,
      value: `${content}.${sign(credential, content)}`,
      formToken: digest("console-form", fields.id)
    }
  }

  return {
    start: (who: SignedIn, credential: string, now: number, epoch: number): Session => {
      const { name, role, source } = who
      return sessionOf({ name, role, source, id: randomUUID(), epoch, startedAt: now, seenAt: now }, credential)
    },
    /**
     * The session of a cookie; undefined when the cookie is forged, has expired, or was not used for too long.
     * `credentialOf` gives the credential that an operator has now, if there is one.
     */
    read: (
      value: string,
      now: number,
      credentialOf: (who: SignedIn) => string | undefined
    ): Session | undefined => {
      const fields = parse(value)
      const credential = fields === undefined ? undefined : credentialOf(fields)
      if (fields === undefined || credential === undefined) return undefined
      const session = sessionOf(fields, credential)
      if (!isEqual(session.value, value)) return undefined
      return isSessionOpen(session, limits, now) ? session : undefined
    },
    /** The session with a new time of its last use; undefined when its cookie is still new. */
    renew: (session: Session, now: number): Session | undefined =>
      needsRenewal(session, limits, now) ? sessionOf({ ...session, seenAt: now }, session.credential) : undefined
  }
}
