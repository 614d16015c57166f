import { assert, describe, it } from "../../support/it.ts"
import { ConfigProvider } from "effect"
import { isLocalTrial, sandboxFault } from "../../../infrastructure/runtime/sandbox-bank.ts"
import { readSettings } from "../../../infrastructure/platform/settings/settings.ts"
import type { Env } from "../../support/service.ts"

const settingsOf = (env: Env) => readSettings.parse(ConfigProvider.fromEnvRecord(env))

const exposed: ReadonlyArray<readonly [Env, string]> = [
  [{ HOST: "0.0.0.0" }, "HOST=0.0.0.0"],
  [{ HOST: "::" }, "HOST=::"],
  [{ HOST: "192.0.2.1" }, "HOST=192.0.2.1"],
  [{ HOST: "sliptrail.internal" }, "HOST=sliptrail.internal"],
  [{ EVENTSTORE_URL: "esdb://127.0.0.1:2113" }, "EVENTSTORE_URL"],
  [{ REDIS_URL: "redis://127.0.0.1" }, "REDIS_URL"],
  [{ HOST: "0.0.0.0", BANK_GATEWAYS: "scb,sandbox" }, "HOST=0.0.0.0"],
  [{ REDIS_URL: "redis://127.0.0.1", ROLES: "worker" }, "REDIS_URL"]
]

describe("the sandbox bank", () => {
  it.effect.each(exposed)("is refused where others rely on the answers: %o", function* ([env, reason]) {
    const settings = yield* settingsOf(env)
    const fault = sandboxFault(settings)
    for (const part of [reason, "BANK_GATEWAYS", "ALLOW_SANDBOX=true"]) assert.include(fault, part)
    assert.isFalse(isLocalTrial(settings))
  })

  it.effect.each(exposed)("is accepted there with ALLOW_SANDBOX, without a demo service: %o", function* ([env]) {
    const settings = yield* settingsOf({ ...env, ALLOW_SANDBOX: "true" })
    assert.isUndefined(sandboxFault(settings))
    assert.isFalse(isLocalTrial(settings))
  })

  it.effect.each(["127.0.0.1", "127.0.0.9", "localhost", "::1", "[::1]"])(
    "is accepted on this machine alone, with a demo service: %s",
    function* (HOST) {
      const settings = yield* settingsOf({ HOST })
      assert.isUndefined(sandboxFault(settings))
      assert.isTrue(isLocalTrial(settings))
    }
  )

  it.effect("does not concern processes that ask no bank, or only real banks", function* () {
    const shared = { EVENTSTORE_URL: "esdb://127.0.0.1:2113", REDIS_URL: "redis://127.0.0.1" }
    assert.isUndefined(sandboxFault(yield* settingsOf({ ...shared, ROLES: "projector" })))
    const real = yield* settingsOf({ HOST: "0.0.0.0", BANK_GATEWAYS: "scb,kbank" })
    assert.isUndefined(sandboxFault(real))
    assert.isFalse(isLocalTrial({ ...real, host: "127.0.0.1" }))
  })
})
