import { Result } from "effect"
import type { OperatorRole } from "../../../../domain/operators.ts"
import { type OidcClient, usesEmail } from "../../../platform/settings/oidc-client.ts"
import { visibleLine } from "../../../platform/visible-text.ts"

/** What the provider says about an account. */
export type Claims = Readonly<Record<string, unknown>>

/** Why an account cannot sign in although the provider has checked it. */
export type AccountFault =
  /** The claim with the name is missing, empty, too long, has invisible characters, or is an unverified address. */
  | { readonly _tag: "NoName" }
  /** The provider does not say whether the address is verified, and the settings do not trust such addresses. */
  | { readonly _tag: "UnmarkedEmail" }
  /** None of its groups has a role. */
  | { readonly _tag: "NoRole"; readonly name: string }

const MAX_NAME_LENGTH = 200

/** The highest role first. */
const ORDER: ReadonlyArray<OperatorRole> = ["admin", "auditor", "support"]

/** What decides who an account is. */
type Deciding = Pick<OidcClient, "groupsClaim" | "nameClaim" | "trustsUnmarkedEmail">

/** Whether the account has an address that would count, if the provider said whether it is verified. */
const lacksMark = (client: Deciding, { email, email_verified: verified }: Claims): boolean =>
  usesEmail(client) && !client.trustsUnmarkedEmail && email !== undefined && verified === undefined

/** Some providers send the flag as text. Any other value than true does not vouch for the address. */
const saysUnverified = ({ email_verified: verified }: Claims): boolean =>
  verified !== undefined && verified !== true && verified !== "true"

/** Whether the ID token leaves out what decides who signs in. Many providers put it into the UserInfo answer only. */
export const needsUserInfo = (client: Deciding, idToken: Claims): boolean =>
  idToken[client.groupsClaim] === undefined || idToken[client.nameClaim] === undefined || lacksMark(client, idToken)

/** All claims. The ID token is signed and counts first. An address is unverified if either of the two says so. */
export const mergeClaims = (idToken: Claims, userInfo: Claims): Claims => ({
  ...userInfo,
  ...idToken,
  ...(saysUnverified(idToken) || saysUnverified(userInfo) ? { email_verified: false } : {})
})

/** A claim, without an unverified address: people can enter any address at some providers. */
const trustedClaim = (claims: Claims, claim: string): unknown =>
  claim === "email" && saysUnverified(claims) ? undefined : claims[claim]

const textsOf = (value: unknown): ReadonlyArray<string> =>
  (Array.isArray(value) ? value : [value]).filter((entry) => typeof entry === "string")

/** Characters that no font shows, and halves of a pair: two accounts would look alike in the audit. */
const UNSHOWN = /[\p{Default_Ignorable_Code_Point}\p{Surrogate}]/u

/** Whether a name can stand in a list without hiding or reversing other text, or looking like another name. */
const isShown = (name: string): boolean => visibleLine(name) === name && !UNSHOWN.test(name)

/** The name of an account; undefined when it cannot name a person. */
const nameOf = (claims: Claims, claim: string): string | undefined => {
  const value = trustedClaim(claims, claim)
  const name = typeof value === "string" ? value.trim() : ""
  return name !== "" && name.length <= MAX_NAME_LENGTH && isShown(name) ? name : undefined
}

/** The operator that an account is: its name in events, such as `oidc:ann@shop.example`, and its highest role. */
export const operatorOf = (
  client: Deciding & Pick<OidcClient, "roles">,
  claims: Claims
): Result.Result<{ readonly name: string; readonly role: OperatorRole }, AccountFault> => {
  if (lacksMark(client, claims)) return Result.fail({ _tag: "UnmarkedEmail" })
  const { groupsClaim, nameClaim, roles } = client
  const claimed = nameOf(claims, nameClaim)
  if (claimed === undefined) return Result.fail({ _tag: "NoName" })
  const name = `oidc:${claimed}`
  const granted = new Set(textsOf(trustedClaim(claims, groupsClaim)).map((group) => roles.get(group)))
  const role = ORDER.find((one) => granted.has(one))
  return role === undefined ? Result.fail({ _tag: "NoRole", name }) : Result.succeed({ name, role })
}
