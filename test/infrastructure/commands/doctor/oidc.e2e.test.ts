import { assert, describe, it } from "../../../support/it.ts"
import { Effect } from "effect"
import { join } from "node:path"
import { startHostileProvider } from "../../../support/oidc/hostile-provider.ts"
import { CLIENT_SECRET, oidcEnv } from "../../../support/oidc/oidc-env.ts"
import { temporaryFolder } from "../../../support/temporary-folder.ts"
import { examine, messagesAbout } from "./examined.ts"

/** A provider, and the settings of its client. */
const given = Effect.gen(function* () {
  const provider = yield* startHostileProvider
  const env = {
    DATA_DIR: join(yield* temporaryFolder, "data"),
    ...oidcEnv(provider.issuer, "http://127.0.0.1:8080")
  }
  return { provider, env }
})

describe("the doctor's check of the OpenID Connect provider", () => {
  it.live("passes when the provider answers, and prints no secret", function* () {
    const { env, provider } = yield* given
    const { faults, findings, stdout, warnings } = yield* examine(env)
    assert.deepStrictEqual(faults, [])
    const { host } = new URL(provider.issuer)
    assert.strictEqual(messagesAbout(findings, "sign-in"), `the OpenID Connect provider at ${host} answers`)
    assert.strictEqual(messagesAbout(warnings, "sign-in"), "")
    assert.notInclude(stdout, CLIENT_SECRET)
  })

  it.live("says that the provider is away, and what does not fit together", function* () {
    const { env, provider } = yield* given
    provider.intercept = (_, response) => Boolean(response.destroy())
    const away = yield* examine(env)
    assert.match(messagesAbout(away.faults, "sign-in"), /cannot be used: unreachable: /u)
    provider.reset()
    provider.discovery = { issuer: "https://evil.example" }
    const other = yield* examine(env)
    assert.match(messagesAbout(other.faults, "sign-in"), /cannot be used: .*issuer/u)
    assert.match(other.faults[0]?.advice ?? "", /^correct OIDC_ISSUER/u)
  })

  it.live("warns of scopes that the provider does not list, and of PKCE without S256", function* () {
    const { env, provider } = yield* given
    provider.discovery = { scopes_supported: ["openid", "email"], code_challenge_methods_supported: ["plain"] }
    const { faults, warnings } = yield* examine(env)
    assert.deepStrictEqual(faults, [])
    const messages = messagesAbout(warnings, "sign-in")
    assert.include(messages, "does not list the scopes profile of OIDC_SCOPES")
    assert.include(messages, "supports PKCE without S256: plain")
  })

  it.live("warns where addresses may not count, and where they count without the mark of the provider", function* () {
    const { env, provider } = yield* given
    provider.discovery = { claims_supported: ["sub", "email"] }
    const strict = yield* examine(env)
    assert.include(messagesAbout(strict.warnings, "sign-in"), "does not list the claim email_verified")
    assert.include(strict.warnings.map(({ advice }) => advice).join(), "OIDC_TRUST_UNMARKED_EMAIL=true")
    const bySubject = yield* examine({ ...env, OIDC_NAME_CLAIM: "sub" })
    assert.strictEqual(messagesAbout(bySubject.warnings, "sign-in"), "")
    provider.discovery = { claims_supported: ["sub", "email", "email_verified"] }
    assert.strictEqual(messagesAbout((yield* examine(env)).warnings, "sign-in"), "")
    const trusting = yield* examine({ ...env, OIDC_TRUST_UNMARKED_EMAIL: "true" })
    assert.include(messagesAbout(trusting.warnings, "sign-in"), "OIDC_TRUST_UNMARKED_EMAIL is on")
  })

  it.live("reports a half set of settings once, by their names", function* () {
    const { env } = yield* given
    const { faults } = yield* examine({ ...env, OIDC_ROLES: "" })
    assert.lengthOf(faults, 1)
    assert.match(faults[0]?.message ?? "", /^OIDC_ROLES: missing; /u)
  })
})
