import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Duration, Effect, Redacted } from "effect"
import { readFileSync } from "node:fs"
import { inspect } from "node:util"
import { readSettings, settings } from "../../infrastructure/settings.ts"

const read = (env: Record<string, string>) =>
  Effect.provide(readSettings, ConfigProvider.layer(ConfigProvider.fromEnvRecord(env)))

const shown = (text: string | undefined): string => text === undefined || text === "" ? "–" : `\`${text}\``

describe("settings", () => {
  it("stand in the README as they are", () => {
    const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8")
    for (const { default: fallback, description, name } of Object.values(settings)) {
      assert.include(readme, `| \`${name}\` | ${shown(fallback)} | ${description} |`)
    }
  })

  it.effect("mean what their written defaults say", () =>
    Effect.gen(function*() {
      const written = Object.values(settings).flatMap(({ default: fallback, name }) =>
        fallback === undefined || fallback === "" ? [] : [[name, fallback] as const])
      assert.deepStrictEqual(yield* read(Object.fromEntries(written)), yield* read({}))
    }))

  it.effect("take port 0 and refuse what is no port, naming the setting", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* read({ PORT: "0" })).port, 0)
      for (const port of ["65536", "-1", "80a", "8080.5"]) {
        const error = yield* Effect.flip(read({ PORT: port }))
        assert.include(String(error), "PORT")
      }
    }))

  it.effect("split lists at commas and forget empty entries", () =>
    Effect.gen(function*() {
      const { egressAllowCidrs, pendingBanks } = yield* read({
        EGRESS_ALLOW_CIDRS: "127.0.0.0/8, ::1/128,",
        PENDING_BANKS: "002,014"
      })
      assert.deepStrictEqual(egressAllowCidrs, ["127.0.0.0/8", "::1/128"])
      assert.deepStrictEqual(pendingBanks, ["002", "014"])
    }))

  it.effect("take schedules of retries as durations with commas between them", () =>
    Effect.gen(function*() {
      const { callbackRetrySchedule, callbackTimeout, verifyRetrySchedule } = yield* read({
        VERIFY_RETRY_SCHEDULE: "1 second",
        CALLBACK_RETRY_SCHEDULE: "500 millis,2 minutes , 1 hour",
        CALLBACK_TIMEOUT: "1500 millis"
      })
      assert.deepStrictEqual(verifyRetrySchedule.map(Duration.toMillis), [1_000])
      assert.deepStrictEqual(callbackRetrySchedule.map(Duration.toMillis), [500, 120_000, 3_600_000])
      assert.strictEqual(Duration.toMillis(callbackTimeout), 1_500)
    }))

  it.effect("refuse delays that are none, naming the setting", () =>
    Effect.gen(function*() {
      for (const name of ["VERIFY_RETRY_SCHEDULE", "CALLBACK_RETRY_SCHEDULE", "CALLBACK_TIMEOUT"]) {
        for (const delay of ["soon", "5", "0 seconds", "-1 seconds", "Infinity", "1 second,,2 seconds", ","]) {
          assert.include(String(yield* Effect.flip(read({ [name]: delay }))), name)
        }
      }
    }))

  it.effect("do not show a secret when printed", () =>
    Effect.gen(function*() {
      const { adminToken } = yield* read({ ADMIN_TOKEN: "do-not-show" })
      assert.isDefined(adminToken)
      assert.notInclude(`${inspect(adminToken)} ${JSON.stringify(adminToken)}`, "do-not-show")
      assert.strictEqual(adminToken === undefined ? "" : Redacted.value(adminToken), "do-not-show")
    }))
})
