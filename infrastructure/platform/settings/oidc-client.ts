import { type Redacted, Result } from "effect"
import { OperatorRole } from "../../../domain/operators.ts"
import { isLoopbackHost } from "../ip-address.ts"
import { sha256 } from "../sha256.ts"
import type { Settings } from "./settings.ts"

/** This service as a client of the operator's OpenID Connect provider. */
export interface OidcClient {
  readonly issuer: URL
  readonly clientId: string
  /** Undefined for a public client. */
  readonly clientSecret: Redacted.Redacted | undefined
  readonly redirectUrl: URL
  /** Separated by spaces. */
  readonly scopes: string
  readonly groupsClaim: string
  readonly nameClaim: string
  /** Whether an address counts without the claim `email_verified`. */
  readonly trustsUnmarkedEmail: boolean
  /** The role of each group. Groups are compared exactly. */
  readonly roles: ReadonlyMap<string, OperatorRole>
}

/** The path of `OIDC_REDIRECT_URL`. */
export const CALLBACK_PATH = "/console/login/oidc/callback"

type OidcSettings = Pick<
  Settings,
  | "oidcIssuer"
  | "oidcClientId"
  | "oidcClientSecret"
  | "oidcRedirectUrl"
  | "oidcRoles"
  | "oidcScopes"
  | "oidcGroupsClaim"
  | "oidcNameClaim"
  | "oidcTrustUnmarkedEmail"
>

/** A URL that codes and tokens may pass through. Plain HTTP is safe only within this machine. */
const parseSafeUrl = (name: string, text: string): Result.Result<URL, string> => {
  const url = URL.parse(text)
  if (url === null) return Result.fail(`${name}: "${text}" is not a URL`)
  // Without user and password, which do not belong into a message.
  const shown = `${url.origin}${url.pathname}`
  const isSafe = url.protocol === "https:" || url.protocol === "http:" && isLoopbackHost(url.hostname)
  if (!isSafe) return Result.fail(`${name}: "${shown}" must begin with https://, unless it is on this machine`)
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    return Result.fail(`${name}: "${shown}" must have no user, no password, no query and no fragment`)
  }
  return Result.succeed(url)
}

/** Such addresses stand for all organisations of the world: an account of any of them could sign in. */
const SHARED_ISSUER = /^https:\/\/login\.microsoftonline\.com\/(?:common|organizations|consumers)(?:\/|$)/u

const parseIssuer = (text: string): Result.Result<URL, string> =>
  SHARED_ISSUER.test(text)
    ? Result.fail(
      `OIDC_ISSUER: "${text}" accepts accounts of all organisations; use the id of your own tenant in the URL`
    )
    : parseSafeUrl("OIDC_ISSUER", text)

const parseRedirectUrl = (text: string): Result.Result<URL, string> =>
  Result.flatMap(
    parseSafeUrl("OIDC_REDIRECT_URL", text),
    (url) =>
      url.pathname === CALLBACK_PATH
        ? Result.succeed(url)
        : Result.fail(`OIDC_REDIRECT_URL: the path of "${text}" must be ${CALLBACK_PATH}`)
  )

/** `group=role`. The last equals sign separates, because names of groups can contain one. */
const parseRoles = (entries: ReadonlyArray<string>): Result.Result<ReadonlyMap<string, OperatorRole>, string> => {
  const roles = new Map<string, OperatorRole>()
  for (const entry of entries) {
    const [, group = "", name] = /^(.+)=([^=]*)$/u.exec(entry) ?? []
    const role = OperatorRole.literals.find((literal) => literal === name?.trim())
    if (role === undefined || group.trim() === "") {
      return Result.fail(
        `OIDC_ROLES: "${entry}" is not group=role with one of the roles ${OperatorRole.literals.join(", ")}`
      )
    }
    if (roles.has(group.trim())) return Result.fail(`OIDC_ROLES: the group "${group.trim()}" is listed twice`)
    roles.set(group.trim(), role)
  }
  return Result.succeed(roles)
}

/**
 * The client that the settings `OIDC_*` describe; undefined when none of them is set. Fails with a message for the
 * operator when a part is missing or cannot be used.
 */
export const readOidcClient = (settings: OidcSettings): Result.Result<OidcClient | undefined, string> => {
  const { oidcClientId, oidcClientSecret, oidcGroupsClaim, oidcIssuer, oidcNameClaim, oidcRedirectUrl } = settings
  const roles = settings.oidcRoles.length === 0 ? undefined : settings.oidcRoles
  const given = {
    OIDC_ISSUER: oidcIssuer,
    OIDC_CLIENT_ID: oidcClientId,
    OIDC_REDIRECT_URL: oidcRedirectUrl,
    OIDC_ROLES: roles
  }
  if (oidcClientSecret === undefined && Object.values(given).every((value) => value === undefined)) {
    return Result.succeed(undefined)
  }
  if (oidcIssuer === undefined || oidcClientId === undefined || oidcRedirectUrl === undefined || roles === undefined) {
    const missing = Object.entries(given).flatMap(([name, value]) => value === undefined ? [name] : [])
    return Result.fail(
      `${missing.join(", ")}: missing; sign-in at an OpenID Connect provider needs all of ${
        Object.keys(given).join(", ")
      }`
    )
  }
  const scopes = settings.oidcScopes.split(/\s+/u).filter((scope) => scope !== "")
  if (!scopes.includes("openid")) return Result.fail("OIDC_SCOPES: openid is missing; without it there is no sign-in")
  return Result.gen(function* () {
    return {
      issuer: yield* parseIssuer(oidcIssuer),
      clientId: oidcClientId,
      clientSecret: oidcClientSecret,
      redirectUrl: yield* parseRedirectUrl(oidcRedirectUrl),
      scopes: scopes.join(" "),
      groupsClaim: oidcGroupsClaim,
      nameClaim: oidcNameClaim,
      trustsUnmarkedEmail: settings.oidcTrustUnmarkedEmail,
      roles: yield* parseRoles(roles)
    } satisfies OidcClient
  })
}

/** The claim that counts only when the provider has verified it. */
const EMAIL = "email"

/** Whether an address decides who an account is, or which role it has. */
export const usesEmail = ({ groupsClaim, nameClaim }: Pick<OidcClient, "groupsClaim" | "nameClaim">): boolean =>
  groupsClaim === EMAIL || nameClaim === EMAIL

/** Whether accounts of the provider can become administrators. */
export const grantsAdmin = ({ roles }: OidcClient): boolean => [...roles.values()].includes("admin")

/**
 * What sessions of the provider's accounts are signed with. It is another one, and ends them, when the settings mean other
 * accounts, names or roles than before.
 */
export const oidcCredential = (client: OidcClient): string => {
  const { clientId, groupsClaim, issuer, nameClaim, roles, trustsUnmarkedEmail } = client
  const byGroup = [...roles].toSorted(([one], [other]) => one < other ? -1 : 1)
  return sha256(JSON.stringify([issuer.href, clientId, groupsClaim, nameClaim, byGroup, trustsUnmarkedEmail])).toString(
    "hex"
  )
}
