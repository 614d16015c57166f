import { Effect, Result } from "effect"
import { makeOidcProvider } from "../console/oidc/provider.ts"
import { oidcConnection } from "../runtime/oidc.ts"
import type { Settings } from "../settings/settings.ts"
import { fail, type Finding, ok, warn } from "./finding.ts"

const ABOUT = "sign-in"

const ADVICE = "until then operators sign in to the console with tokens"

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
      return [fail(ABOUT, `the OpenID Connect provider at ${client.issuer.host} cannot be used: ${detail}`, advice)]
    }
    const { code_challenge_methods_supported: methods, scopes_supported: scopes } = examined.success
    const missing = scopes === undefined ? [] : client.scopes.split(" ").filter((scope) => !scopes.includes(scope))
    const findings: ReadonlyArray<Finding> = [
      ok(ABOUT, `the OpenID Connect provider at ${client.issuer.host} answers`),
      ...(missing.length === 0 ? [] : [
        warn(
          ABOUT,
          `the provider does not list the scopes ${missing.join(", ")} of OIDC_SCOPES`,
          "remove them, or add them at the provider: some providers refuse a sign-in with an unknown scope"
        )
      ]),
      // Some providers support PKCE without a list.
      ...(methods === undefined || methods.includes("S256") ? [] : [
        warn(
          ABOUT,
          `the provider supports PKCE without S256: ${methods.join(", ")}`,
          "enable S256 for the client at the provider, if it can"
        )
      ])
    ]
    return findings
  },
  // The settings are refused, which other findings say.
  Effect.orElseSucceed((): ReadonlyArray<Finding> => []),
  Effect.scoped
)
