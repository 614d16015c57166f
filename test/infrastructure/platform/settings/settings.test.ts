import { assert, describe, it } from "../../../support/it.ts"
import { ConfigProvider, Duration, Effect, Redacted } from "effect"
import { inspect } from "node:util"
import { describeConfigError } from "../../../../infrastructure/platform/settings/setting.ts"
import { readSettings } from "../../../../infrastructure/platform/settings/settings.ts"

const read = (env: Record<string, string>) =>
  Effect.provide(readSettings, ConfigProvider.layer(ConfigProvider.fromEnvRecord(env)))

describe("settings", () => {
  it.effect("accept port 0 and reject an invalid port with the name of the setting", function* () {
    assert.strictEqual((yield* read({ PORT: "0" })).port, 0)
    for (const port of ["65536", "-1", "80a", "8080.5"]) {
      const error = yield* Effect.flip(read({ PORT: port }))
      assert.include(String(error), "PORT")
    }
  })

  it.effect("split lists at commas and ignore empty entries", function* () {
    const { egressAllowCidrs, pendingBanks } = yield* read({
      EGRESS_ALLOW_CIDRS: "127.0.0.0/8, ::1/128,",
      PENDING_BANKS: "002,014"
    })
    assert.deepStrictEqual(egressAllowCidrs, ["127.0.0.0/8", "::1/128"])
    assert.deepStrictEqual(pendingBanks, ["002", "014"])
  })

  it.effect("read retry schedules as durations separated by commas", function* () {
    const { callbackRetrySchedule, callbackTimeout, verifyRetrySchedule } = yield* read({
      VERIFY_RETRY_SCHEDULE: "1 second",
      CALLBACK_RETRY_SCHEDULE: "500 millis,2 minutes , 1 hour",
      CALLBACK_TIMEOUT: "1500 millis"
    })
    assert.deepStrictEqual(verifyRetrySchedule.map(Duration.toMillis), [1_000])
    assert.deepStrictEqual(callbackRetrySchedule.map(Duration.toMillis), [500, 120_000, 3_600_000])
    assert.strictEqual(Duration.toMillis(callbackTimeout), 1_500)
  })

  it.effect("reject invalid delays with the name of the setting", function* () {
    for (const name of ["VERIFY_RETRY_SCHEDULE", "CALLBACK_RETRY_SCHEDULE", "CALLBACK_TIMEOUT"]) {
      for (const delay of ["soon", "5", "0 seconds", "-1 seconds", "Infinity", "1 second,,2 seconds", ","]) {
        assert.include(String(yield* Effect.flip(read({ [name]: delay }))), name)
      }
    }
  })

  it.effect("read names of signature headers, and reject reserved names and what is no name", function* () {
    const namesOf = (text: string) =>
      Effect.map(read({ CALLBACK_SIGNATURE_HEADERS: text }), (settings) => settings.callbackSignatureHeaders)
    assert.deepStrictEqual(yield* namesOf(""), [])
    assert.deepStrictEqual(yield* namesOf("X-EasySlip-Signature, x-signature"), [
      "X-EasySlip-Signature",
      "x-signature"
    ])
    const refused = [
      "Host",
      "Authorization",
      "webhook-signature",
      "X-",
      "X-Sig nature",
      "X-Sign:ature",
      "X-Sign\r\nHost",
      "X-ลายเซ็น",
      `X-${"a".repeat(63)}`,
      "X-Service-Signature",
      "x-sandbox",
      "X-Forwarded-For",
      "X-Real-IP",
      "X-A,X-B,X-C,X-D,X-E,X-F"
    ]
    for (const text of refused) {
      assert.include(String(yield* Effect.flip(namesOf(text))), "CALLBACK_SIGNATURE_HEADERS", text)
    }
  })

  it.effect("read flags, and reject other texts with the name of the setting", function* () {
    const flag = (text: string) => Effect.map(read({ KBANK_TEST_MODE: text }), ({ kbankTestMode }) => kbankTestMode)
    assert.deepStrictEqual(yield* Effect.forEach(["true", "yes", "on", "1", "y"], flag), [
      true,
      true,
      true,
      true,
      true
    ])
    assert.deepStrictEqual(yield* Effect.forEach(["false", "no", "off", "0", "n"], flag), Array(5).fill(false))
    assert.include(String(yield* Effect.flip(flag("maybe"))), "KBANK_TEST_MODE")
  })

  it.effect("read the event store's URL by either name, and refuse two values without printing them", function* () {
    const url = "esdb://admin:do-not-show@127.0.0.1"
    const urlOf = (env: Record<string, string>) =>
      Effect.map(read(env), ({ eventStoreUrl }) => eventStoreUrl && Redacted.value(eventStoreUrl))
    assert.isUndefined(yield* urlOf({}))
    assert.isUndefined(yield* urlOf({ KURRENTDB_URL: "" }))
    for (const names of [["EVENTSTORE_URL"], ["KURRENTDB_URL"], ["EVENTSTORE_URL", "KURRENTDB_URL"]]) {
      assert.strictEqual(yield* urlOf(Object.fromEntries(names.map((name) => [name, url]))), url)
    }
    const error = yield* Effect.flip(read({ EVENTSTORE_URL: url, KURRENTDB_URL: `${url}:2114` }))
    assert.match(describeConfigError(error), /^EVENTSTORE_URL: KURRENTDB_URL is another name .* remove one/u)
    assert.notInclude(inspect(error, { depth: 10 }), "do-not-show")
  })

  it.effect("do not print a secret", function* () {
    const { adminToken } = yield* read({ ADMIN_TOKEN: "do-not-show" })
    assert.isDefined(adminToken)
    assert.notInclude(`${inspect(adminToken)} ${JSON.stringify(adminToken)}`, "do-not-show")
    assert.strictEqual(adminToken === undefined ? "" : Redacted.value(adminToken), "do-not-show")
  })
})
