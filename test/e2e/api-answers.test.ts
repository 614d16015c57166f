import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { codeOf, declared, holdingToDeclaration, type Seen } from "../support/declared-api.ts"
import { layerRunningService, RunningService } from "../support/service.ts"
import { type Asking, callers, provocations } from "./api-provocations.ts"
import { env, situations } from "./situations.ts"

/** Asks, and holds every answer on the way against the declaration. */
const held = Effect.fnUntraced(function* (asked: ReadonlyArray<Asking>) {
  const seen: Array<Seen> = []
  const service = yield* RunningService
  const holding = RunningService.of(holdingToDeclaration(service, seen))
  yield* Effect.forEach(asked, (one) => Effect.scoped(one), { concurrency: 8, discard: true }).pipe(
    Effect.provideService(RunningService, holding)
  )
  return new Set(seen.map(({ answer, operation }) => `${operation.name} ${codeOf(answer) ?? "success"}`))
})

/** Not those that take a defect, an engine that is away, or a limit. */
const isCommon = (code: string): boolean =>
  !/^(internal_server_error|(api_)?server_error|rate_limit_exceeded)$/iu.test(code)

const VERIFYING = ["/v2/verify/bank", "/v2/verify/bank/async", "/v2/decode", "/v1/verify"]

const settings = { ...env, EGRESS_HOSTS: "shop.example=93.184.215.14", VERIFY_RETRY_SCHEDULE: "1 hour" }

layer(layerRunningService(settings), { excludeTestServices: true })("what the API answers", (it) => {
  it.effect(
    "is what it declares, success and failure, and it declares nothing that it never answers",
    () =>
      Effect.gen(function* () {
        const situated = VERIFYING.flatMap((path) => {
          // Searching a photograph for a QR code takes seconds: once is enough.
          const { imageOfOtherQr: _, imageWithoutQr, verify: __, ...all } = situations(path)
          return path === "/v1/verify" ? [imageWithoutQr, ...Object.values(all)] : Object.values(all)
        })
        const closed = declared.filter(({ isOpen }) => !isOpen)
        const seen = yield* held([
          ...situated,
          ...callers(closed),
          ...provocations
        ])

        const expected = declared.flatMap(({ codes, name }) =>
          ["success", ...codes.filter(isCommon)].map((code) => `${name} ${code}`)
        )
        assert.deepStrictEqual(expected.filter((one) => !seen.has(one)), [])
      })
  )
})

const oneASecond = layerRunningService({ RATE_LIMIT: "1", RATE_LIMIT_BURST: "1" })

layer(oneASecond, { excludeTestServices: true })("of a limited rate", (it) => {
  it.effect("every operation says what it declares", () =>
    Effect.gen(function* () {
      const limited = declared.filter(({ isOpen }) => !isOpen)
      const seen = yield* held(limited.map(({ method, path }) =>
        Effect.gen(function* () {
          const { call, createService } = yield* RunningService
          const { mainBranch: { apiKey: key } } = yield* createService()
          yield* call("GET", "/v2/banks", { key })
          const answer = yield* call(method, path.replaceAll(/:\w+/gu, "1"), { key })
          assert.match(answer.headers.get("retry-after") ?? "", /^[1-9]\d*$/u)
          for (const what of ["limit", "remaining", "reset"]) assert.isTrue(answer.headers.has(`x-ratelimit-${what}`))
          return answer
        })
      ))
      for (const { codes, name } of limited) {
        const code = codes.find((one) => /^rate_limit_exceeded$/iu.test(one))
        assert.isTrue(code !== undefined && seen.has(`${name} ${code}`), name)
      }
    }))
})
