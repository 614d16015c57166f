import { assert, layer } from "../support/it.ts"
import { Effect } from "effect"
import { assertFailure } from "../e2e/assert-answer.ts"
import { sendForm } from "../e2e/console/given-console.ts"
import { newSlip } from "../support/client.ts"
import { ADMIN_TOKEN, layerRunningService, RunningService } from "../support/service.ts"

const from = (address: string) => ({ "x-forwarded-for": address })

const env = { ROLES: "http,projector", TRUSTED_PROXIES: "127.0.0.1" }

const counted = [["api", "wrong_token"], ["console", "wrong_token"], ["api", "paused"], ["console", "paused"]] as const

/** The refused tokens of each pair of `counted`, in the text of `/metrics`. Services in one process share them. */
const refusalsIn = (text: string): ReadonlyArray<number> =>
  counted.map(([surface, reason]) => {
    const line = text.split("\n").find((line) =>
      line.startsWith("sliptrail_admin_refusals_total{") && line.includes(`surface="${surface}"`)
      && line.includes(`reason="${reason}"`)
    )
    return Number(line?.split(" ").at(-1))
  })

layer.live(layerRunningService(env))("guessing the admin token", (it) => {
  it.effect("pauses the address on the admin API and the console, and serves branches and operators meanwhile", function* () {
    const { baseUrl, call, createService, logs, verify } = yield* RunningService
    const { mainBranch } = yield* createService()
    const attacker = from("198.51.100.7")
    const refusals = Effect.map(call("GET", "/metrics"), ({ text }) => refusalsIn(text))
    const before = yield* refusals
    const guess = (key: string) => call("GET", "/admin/v1/services", { key, headers: attacker })

    for (const token of ["a", `slt_${"b".repeat(43)}`, `slt_${"c".repeat(43)}`]) {
      assertFailure(yield* guess(token), 401, "INVALID_API_KEY", "The admin token is invalid")
    }
    for (const token of ["d", "e"]) {
      assert.strictEqual((yield* sendForm(baseUrl, "/console/login", { token }, { headers: attacker })).status, 401)
    }

    const paused = yield* guess(ADMIN_TOKEN)
    assertFailure(
      paused,
      429,
      "RATE_LIMIT_EXCEEDED",
      "Too many wrong admin tokens. Wait before you send another one"
    )
    assert.isAtLeast(Number(paused.headers.get("retry-after")), 1)
    const signIn = yield* sendForm(baseUrl, "/console/login", { token: ADMIN_TOKEN }, { headers: attacker })
    assert.deepStrictEqual([signIn.status, signIn.headers.get("set-cookie")], [429, null])

    const operator = yield* call("GET", "/admin/v1/services", { key: ADMIN_TOKEN, headers: from("203.0.113.5") })
    assert.strictEqual(operator.status, 200)
    assert.strictEqual((yield* verify(mainBranch.apiKey, newSlip().payload)).status, 200)

    const logged = logs.filter((line) => line.includes("wrong admin token"))
    assert.strictEqual(logged.length, 5)
    for (const line of logged) assert.include(line, "198.51.100.7")
    const after = yield* refusals
    assert.deepStrictEqual(after.map((count, index) => count - (before[index] ?? Number.NaN)), [3, 2, 1, 1])
  })

  it.effect("does not lock out the operator when the guesses come from many addresses", function* () {
    const { call, createService, logs, verify } = yield* RunningService
    const { mainBranch } = yield* createService()
    const list = (key: string, address: string) => call("GET", "/admin/v1/services", { key, headers: from(address) })
    assert.strictEqual((yield* list(ADMIN_TOKEN, "203.0.113.6")).status, 200)

    const before = logs.length
    yield* Effect.forEach(
      Array.from({ length: 300 }, (_, index) => `100.64.${index >> 8}.${index & 255}`),
      (address) => list("wrong", address),
      { concurrency: 20, discard: true }
    )
    assert.strictEqual((yield* list("wrong", "192.0.2.1")).status, 429)
    assert.strictEqual((yield* list(ADMIN_TOKEN, "203.0.113.6")).status, 200)
    assert.strictEqual((yield* verify(mainBranch.apiKey, newSlip().payload)).status, 200)
    assert.isAtMost(logs.slice(before).filter((line) => line.includes("wrong admin token")).length, 100)
  })
})
