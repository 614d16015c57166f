import { assert, describe, it } from "../../../support/it.ts"
import { Effect } from "effect"
import { join } from "node:path"
import { newSlip } from "../../../support/client.ts"
import { run, runJson } from "../../../support/in-process.ts"
import { layerRunningService, RunningService } from "../../../support/service.ts"
import { temporaryFolder } from "../../../support/temporary-folder.ts"

interface EventView {
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
}

/** A data folder after three requests: one verified a slip, one verified it again with a given id, one only read. */
const givenRequests = Effect.gen(function* () {
  const env = { DATA_DIR: join(yield* temporaryFolder, "data") }
  const made = yield* Effect.gen(function* () {
    const { call, createService, verify } = yield* RunningService
    const { mainBranch: { apiKey: key } } = yield* createService()
    const slip = newSlip()
    const verified = yield* verify(key, slip.payload)
    yield* call("POST", "/v2/verify/bank", {
      key,
      headers: { "x-request-id": "Order.42", "idempotency-key": "42" },
      body: { payload: slip.payload }
    })
    const readOnly = yield* call("GET", "/v2/info", { key })
    return {
      slip,
      verified: verified.headers.get("x-request-id") ?? "",
      readOnly: readOnly.headers.get("x-request-id") ?? ""
    }
  }).pipe(Effect.provide(layerRunningService(env)))
  return { ...made, env }
})

const typesOf = (events: ReadonlyArray<EventView>) => events.map(({ type }) => type)

describe("sliptrail trail show --request", () => {
  it.live("prints the events of a request, by its own id or the id of its caller", function* () {
    const { env, slip, verified } = yield* givenRequests
    const { code, stderr, stdout } = yield* run(["trail", "show", "--request", ` ${verified} `], env)
    assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
    assert.match(
      stdout,
      /^\S+Z {2}Slip of bank 004 over 100\.00 baht, [^\n]*verified for the first time: [^\n]*; charged 1 unit {2}\(branch [^\n]*\)$/u
    )
    assert.notInclude(stdout, slip.transRef)
    const events: ReadonlyArray<EventView> = yield* runJson(["trail", "show", "--request", "Order.42"], env)
    assert.deepStrictEqual(typesOf(events), ["RequestBegun", "SlipVerifiedAgain"])
    const named = yield* run(["trail", "show", "--request", "Order.42"], env)
    assert.match(named.stdout, /^Request [0-9a-f-]{36}, which its caller named Order\.42\n\S+Z {2}/u)
  })

  it.live("has no events for a request that only reads, or for an id in another case", function* () {
    const { env, readOnly } = yield* givenRequests
    for (const id of [readOnly, "order.42"]) {
      const answer = yield* run(["trail", "show", "--request", id], env)
      assert.deepInclude(answer, { code: 1, stdout: "", stderr: "sliptrail: there are no events" })
    }
  })

  it.live("accepts no other subject, no invalid id and no --reveal", function* () {
    const env = { DATA_DIR: join(yield* temporaryFolder, "data") }
    const cases = [
      [["--request", "a", "--slip", "004:A"], "give exactly one of --job ID"],
      [["--request", "a b"], "--request: Expected the X-Request-Id of an answer"],
      [
        ["--request", "Order.42", "--reveal"],
        "--reveal does not work with --request: use the --job, --slip or --verification"
      ]
    ] as const
    for (const [flags, message] of cases) {
      const { code, stderr, stdout } = yield* run(["trail", "show", ...flags], env)
      assert.deepStrictEqual({ code, stdout }, { code: 2, stdout: "" }, stderr)
      assert.include(stderr, message)
    }
  })
})
