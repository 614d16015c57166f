import { randomUUID } from "node:crypto"
import { OperatorRole } from "../../../domain/operators.ts"
import { SignInSource } from "../../../domain/sign-in.ts"
import type { Vault } from "../../../ports/vault.ts"
import { makeSignedSessions, type SessionLimits, type Signed } from "../pages/signed-sessions.ts"

/** Who signed in, and how. */
export interface SignedIn {
  /** The operator's name. */
  readonly name: string
  /** The role at the time of signing in. */
  readonly role: OperatorRole
  readonly source: SignInSource
}

/** The fields that a cookie contains. */
interface Fields extends SignedIn {
  readonly id: string
  /** The epoch in which it started (domain/console-sessions.ts). */
  readonly epoch: number
  /** When it started and when its cookie was made. Milliseconds since 1970. */
  readonly startedAt: number
  readonly seenAt: number
}

export interface Session extends Fields, Signed {
  /** What the cookie is signed with. The session ends when its operator gets another one, such as a new token. */
  readonly credential: string
}

/** Start, last use, epoch, id, source, role, the name in base64url, and the signature. */
const COOKIE =
  /^(\d{1,15})\.(\d{1,15})\.(\d{1,9})\.([0-9a-f-]{36})\.([a-z]+)\.([a-z]+)\.([\w-]{1,1024})\.[0-9a-f]{32}$/u

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
 * The sessions of the console. The signature includes the credential of the operator, which no cookie contains. Times are
 * in milliseconds since 1970.
 */
export const makeSessions = ({ digest }: Pick<Vault["Service"], "digest">, limits: SessionLimits) => {
  const { check, renew, signed } = makeSignedSessions<Fields & Pick<Session, "credential">>(limits, {
    contentOf,
    signatureOf: (content, { credential }) => digest("console-session", `${credential}:${content}`),
    formTokenOf: (id) => digest("console-form", id)
  })
  return {
    start: ({ name, role, source }: SignedIn, credential: string, now: number, epoch: number): Session =>
      signed({ name, role, source, id: randomUUID(), epoch, startedAt: now, seenAt: now, credential }),
    /** The session of a cookie, if there is one. `credentialOf` gives the credential that an operator has now, if any. */
    read: (
      value: string,
      now: number,
      credentialOf: (who: SignedIn) => string | undefined
    ): Session | undefined => {
      const fields = parse(value)
      const credential = fields === undefined ? undefined : credentialOf(fields)
      return fields === undefined || credential === undefined ? undefined : check(value, { ...fields, credential }, now)
    },
    renew
  }
}
