import { assert, describe, it } from "../../../support/it.ts"
import { ConfigProvider, Effect, Result } from "effect"
import {
  grantsAdmin,
  oidcCredential,
  readOidcClient
} from "../../../../infrastructure/platform/settings/oidc-client.ts"
import { readSettings } from "../../../../infrastructure/platform/settings/settings.ts"
import type { Env } from "../../../support/service.ts"

const complete: Env = {
  OIDC_ISSUER: "https://sso.shop.example/realms/staff",
  OIDC_CLIENT_ID: "sliptrail",
  OIDC_REDIRECT_URL: "https://slips.shop.example/console/login/oidc/callback",
  OIDC_ROLES: "owners=admin, cn=tills=support"
}

const read = (env: Env) =>
  Effect.map(readSettings.parse(ConfigProvider.fromEnvRecord(env)), (settings) => readOidcClient(settings))

const clientOf = Effect.fnUntraced(function* (env: Env) {
  const client = Result.getOrThrow(yield* read(env))
  return client ?? (yield* Effect.die("no client"))
})

const without = (...names: ReadonlyArray<string>): Env =>
  Object.fromEntries(Object.entries(complete).filter(([name]) => !names.includes(name)))

describe("the settings OIDC_*", () => {
  it.effect("are a client with defaults, or none when none is set", function* () {
    const client = yield* clientOf(complete)
    assert.deepInclude(client, { scopes: "openid profile email", groupsClaim: "groups", nameClaim: "email" })
    assert.isUndefined(client.clientSecret)
    assert.deepStrictEqual([...client.roles], [["owners", "admin"], ["cn=tills", "support"]])
    assert.isTrue(grantsAdmin(client))
    assert.isFalse(grantsAdmin(yield* clientOf({ ...complete, OIDC_ROLES: "tills=support" })))
    assert.isUndefined(Result.getOrThrow(yield* read({})))
  })

  it.effect("are refused when some are missing, and the message names them", function* () {
    const all = "needs all of OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_REDIRECT_URL, OIDC_ROLES"
    for (const name of Object.keys(complete)) {
      const fault = Result.getOrThrow(Result.flip(yield* read(without(name))))
      assert.strictEqual(fault, `${name}: missing; sign-in at an OpenID Connect provider ${all}`)
    }
    const secretOnly = Result.getOrThrow(Result.flip(yield* read({ OIDC_CLIENT_SECRET: "a-secret" })))
    assert.match(secretOnly, /^OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_REDIRECT_URL, OIDC_ROLES: missing/u)
  })

  const refused: ReadonlyArray<readonly [string, string, string]> = [
    ["OIDC_ISSUER", "sso.shop.example", "is not a URL"],
    ["OIDC_ISSUER", "http://sso.shop.example", "must begin with https://"],
    ["OIDC_ISSUER", "http://10.0.0.1", "must begin with https://"],
    ["OIDC_ISSUER", "ftp://localhost", "must begin with https://"],
    ["OIDC_ISSUER", "https://user:hidden@sso.shop.example", "must have no user"],
    ["OIDC_ISSUER", "http://user:hidden@sso.shop.example", "must begin with https://"],
    ["OIDC_ISSUER", "https://sso.shop.example?x=1", "must have no user, no password, no query"],
    ["OIDC_ISSUER", "https://login.microsoftonline.com/common/v2.0", "accepts accounts of all organisations"],
    ["OIDC_ISSUER", "https://login.microsoftonline.com/organizations/v2.0", "accepts accounts of all organisations"],
    ["OIDC_REDIRECT_URL", "http://slips.shop.example/console/login/oidc/callback", "must begin with https://"],
    ["OIDC_REDIRECT_URL", "https://slips.shop.example/console", "must be /console/login/oidc/callback"],
    ["OIDC_REDIRECT_URL", "https://slips.shop.example/console/login/oidc/callback/", "must be /console/login"],
    ["OIDC_ROLES", "owners", "is not group=role"],
    ["OIDC_ROLES", "owners=root", "is not group=role with one of the roles admin, support, auditor"],
    ["OIDC_ROLES", "=admin", "is not group=role"],
    ["OIDC_ROLES", "a=admin,a=support", `the group "a" is listed twice`],
    ["OIDC_SCOPES", "profile email", "openid is missing"]
  ]
  for (const [name, value, reason] of refused) {
    it.effect(`are refused with ${name}=${value}`, function* () {
      const fault = Result.getOrThrow(Result.flip(yield* read({ ...complete, [name]: value })))
      assert.isTrue(fault.startsWith(`${name}: `), fault)
      assert.include(fault, reason)
      assert.notInclude(fault, "hidden")
    })
  }

  it.effect("accept plain HTTP on this machine", function* () {
    for (const origin of ["http://localhost:8080", "http://127.0.0.1:8080", "http://[::1]:8080"]) {
      const callback = `${origin}/console/login/oidc/callback`
      const { issuer, redirectUrl } = yield* clientOf({
        ...complete,
        OIDC_ISSUER: origin,
        OIDC_REDIRECT_URL: callback
      })
      assert.deepStrictEqual([issuer.origin, redirectUrl.href], [origin, callback])
    }
  })

  it.effect("end the sessions when they mean other accounts, names or roles, and only then", function* () {
    const credential = oidcCredential(yield* clientOf(complete))
    const others: ReadonlyArray<Env> = [
      { OIDC_ISSUER: "https://other.example" },
      { OIDC_CLIENT_ID: "other" },
      { OIDC_ROLES: "owners=support,cn=tills=support" },
      { OIDC_GROUPS_CLAIM: "roles" },
      { OIDC_NAME_CLAIM: "sub" }
    ]
    for (const other of others) {
      assert.notStrictEqual(oidcCredential(yield* clientOf({ ...complete, ...other })), credential)
    }
    const same = { ...complete, OIDC_ROLES: "cn=tills=support,owners=admin", OIDC_CLIENT_SECRET: "new" }
    assert.strictEqual(oidcCredential(yield* clientOf(same)), credential)
  })
})
