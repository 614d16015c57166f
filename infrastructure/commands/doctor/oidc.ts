import { Effect, Result } from "effect"
import { makeOidcProvider } from "../../web/console/oidc/provider.ts"
import { oidcConnection } from "../../runtime/oidc.ts"
import { type OidcClient, usesEmail } from "../../platform/settings/oidc-client.ts"
import type { Settings } from "../../platform/settings/settings.ts"
import { type Finding, findingsAbout, when } from "./finding.ts"

const { fail, ok, warn } = findingsAbout("sign-in")

const ADVICE = "until then operators sign in to the console with tokens"

/** Whether addresses count, when a name or a role depends on one. `listed` are the claims that the provider says it sends. */
const emailFindings = (client: OidcClient, listed: ReadonlyArray<string> | undefined): ReadonlyArray<Finding> => {
  if (!usesEmail(client)) return []
  const { host } = client.issuer
  const isListed = listed?.includes("email_verified")
  if (client.trustsUnmarkedEmail) {
    return [warn(
      `addresses count although ${host} does not call them verified: OIDC_TRUST_UNMARKED_EMAIL is on`,
      isListed === true
        ? "the provider sends email_verified: turn the setting off"
        : "turn it off unless the provider never sends email_verified, and lets no person choose an address"
    )]
  }
  // Without a list nothing is known.
  return isListed !== false ? [] : [warn(
    `${host} does not list the claim email_verified, and an address counts only with it`,
    "sign in once: if that is refused, as at Entra ID, set OIDC_NAME_CLAIM=preferred_username, or "
      + "OIDC_TRUST_UNMARKED_EMAIL=true if the provider lets no person choose an address"
  )]
}

/**
 * Checks the OpenID Connect provider: its discovery document, and its keys. The provider does not check the client's secret
 * before a person signs in. Settings that the service refuses are findings of `settings.ts`.
 */
export const checkOidc = Effect.fnUntraced(
  function* (settings: Settings) {
    const connection = yield* oidcConnection(settings)
    if (connection === undefined) return []
    const { client, send } = connection
    const provider = yield* makeOidcProvider(client, send)
    const examined = yield* Effect.result(provider.examine)
    if (Result.isFailure(examined)) {
      const { detail, reason } = examined.failure
      const advice = reason === "away"
        ? `check OIDC_ISSUER and the network between this machine and the provider; ${ADVICE}`
        : `correct OIDC_ISSUER, or the provider; ${ADVICE}`
      return [fail(`the OpenID Connect provider at ${client.issuer.host} cannot be used: ${detail}`, advice)]
    }
    const { code_challenge_methods_supported: methods, scopes_supported: scopes } = examined.success
    const missing = scopes === undefined ? [] : client.scopes.split(" ").filter((scope) => !scopes.includes(scope))
    const findings: ReadonlyArray<Finding> = [
      ...emailFindings(client, examined.success.claims_supported),
      ok(`the OpenID Connect provider at ${client.issuer.host} answers`),
      ...when(
        missing.length > 0,
        warn(
          `the provider does not list the scopes ${missing.join(", ")} of OIDC_SCOPES`,
          "remove them, or add them at the provider: some providers refuse a sign-in with an unknown scope"
        )
      ),
      // Some providers support PKCE without a list.
      ...when(
        methods?.includes("S256") === false,
        warn(
          `the provider supports PKCE without S256: ${methods?.join(", ")}`,
          "enable S256 for the client at the provider, if it can"
        )
      )
    ]
    return findings
  },
  // The settings are refused, which other findings say.
  Effect.orElseSucceed((): ReadonlyArray<Finding> => []),
  Effect.scoped
)
