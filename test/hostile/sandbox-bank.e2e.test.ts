import { assert, describe, it, layer } from "../support/it.ts"
import { Context, Effect, Layer } from "effect"
import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { getPage, signedIn } from "../e2e/console/given-console.ts"
import { type CallbackReceiver, startCallbackReceiver } from "../support/callback-receiver.ts"
import { newSlip } from "../support/client.ts"
import { sliptrail } from "../support/command.ts"
import { eventually } from "../support/eventually.ts"
import { ADMIN_TOKEN, layerRunningService, RunningService, spawnService } from "../support/service.ts"
import { temporaryFolder } from "../support/temporary-folder.ts"

describe("the sandbox bank on an address of other machines", () => {
  it.live.each([{ HOST: "0.0.0.0" }, { HOST: "127.0.0.1", REDIS_URL: "redis://127.0.0.1:1" }])(
    "stops the start with exit code 2 and what to set: %o",
    function* (env) {
      const cwd = yield* temporaryFolder
      const { code, stderr } = yield* sliptrail(["serve"], { cwd, env: { PORT: "0", ...env } })
      assert.strictEqual(code, 2, stderr)
      assert.include(stderr, "ALLOW_SANDBOX=true")
    }
  )
})

describe("the first start", () => {
  it.live("prints no key and no token where its output is not a terminal, and the written ones work", function* () {
    const dataDir = join(yield* temporaryFolder, "data")
    const service = yield* spawnService(dataDir, { ADMIN_TOKEN: "" })
    const file = join(dataDir, "first-start.txt")
    yield* eventually(Effect.sync(service.output), ({ stdout }) => stdout.includes(file))
    const text = readFileSync(file, "utf8")
    const key = /API key +(\S+)/u.exec(text)?.[1] ?? ""
    const secret = /Webhook secret +(\S+)/u.exec(text)?.[1] ?? ""
    assert.strictEqual(statSync(file).mode & 0o777, 0o600)
    const token = /Token +(\S+)/u.exec(text)?.[1] ?? ""
    const { status } = yield* service.verify(key, newSlip().payload)
    assert.strictEqual(status, 200)
    const me = yield* service.call("GET", "/admin/v1/me", { key: token })
    assert.deepInclude(me.data, { name: "admin", role: "admin" })
    yield* service.stop("SIGTERM")
    const { stderr, stdout } = service.output()
    assert.include(stdout, file)
    for (const one of [key, secret, token]) {
      assert.isAtLeast(one.length, 20)
      assert.notInclude(stdout + stderr, one)
    }
  })
})

class Receiver extends Context.Service<Receiver, CallbackReceiver>()("test/Receiver") {}

const layerWithReceiver = Layer.unwrap(
  Effect.map(
    startCallbackReceiver(),
    (receiver) => Layer.merge(layerRunningService(receiver.env), Layer.succeed(Receiver, receiver))
  )
)

layer.live(layerWithReceiver)("with the sandbox bank", (it) => {
  it.effect("every answer of v1 and v2 is marked, and every page of the console", function* () {
    const { baseUrl, call, createService, verify } = yield* RunningService
    const { mainBranch } = yield* createService()
    const key = mainBranch.apiKey
    const { payload } = newSlip()
    const answers = [
      yield* verify(key, payload),
      yield* verify(key, payload),
      yield* verify(key, newSlip({ outcome: "not-found" }).payload),
      yield* call("GET", `/v1/verify?payload=${payload}`, { key }),
      yield* call("GET", "/v2/info", { key }),
      yield* verify("unknown", payload)
    ]
    assert.deepStrictEqual(answers.map(({ status }) => status), [200, 200, 404, 200, 200, 401])
    for (const { headers } of answers) assert.strictEqual(headers.get("x-sandbox"), "true")
    const admin = yield* call("GET", "/admin/v1/services", { key: ADMIN_TOKEN })
    assert.isNull(admin.headers.get("x-sandbox"))

    const cookie = yield* signedIn(baseUrl)
    for (const path of ["/console/login", "/console", "/console/services", "/console/nothing"]) {
      const page = yield* getPage(baseUrl, path, path === "/console/login" ? {} : { cookie })
      assert.include(yield* Effect.promise(() => page.text()), "Remove sandbox from BANK_GATEWAYS", path)
    }
  })

  it.effect("every callback is marked", function* () {
    const { arrivals, url } = yield* Receiver
    const { call, createService } = yield* RunningService
    const { mainBranch } = yield* createService()
    const slips = [newSlip(), newSlip({ outcome: "not-found" })].map(({ payload }) => ({ payload }))
    const body = { slips, callbackUrl: url }
    const { status, text } = yield* call("POST", "/v2/verify/bank/batch", { key: mainBranch.apiKey, body })
    assert.strictEqual(status, 202, text)
    yield* eventually(Effect.sync(() => arrivals), ({ length }) => length === slips.length)
    assert.deepStrictEqual(arrivals.map(({ headers }) => headers["x-sandbox"]), ["true", "true"])
  })
})
