import { assert, layer } from "../support/it.ts"
import { Effect } from "effect"
import { codeOf, declared, type DeclaredAnswer, withDeclarationCheck } from "../support/declared-api.ts"
import { layerRunningService, RunningService } from "../support/service.ts"
import { type ApiCalls, callers, provocations } from "./api-provocations.ts"
import { env, situations } from "./situations.ts"
import { walletProvocations } from "./wallet-provocations.ts"

/** Runs calls and compares every answer with the declaration. Returns the codes that were seen. */
const seenCodes = Effect.fnUntraced(function* (calls: ReadonlyArray<ApiCalls>) {
  const seen: Array<DeclaredAnswer> = []
  const service = yield* RunningService
  const checkingService = RunningService.of(withDeclarationCheck(service, seen))
  yield* Effect.forEach(calls, (call) => Effect.scoped(call), { concurrency: 8, discard: true }).pipe(
    Effect.provideService(RunningService, checkingService)
  )
  return new Set(seen.map(({ answer, operation }) => `${operation.name} ${codeOf(answer) ?? "success"}`))
})

/** Excludes codes that need a defect, an unavailable store, a rate limit, or a service without a gateway for wallets. */
const isCommon = (code: string): boolean =>
  !/^(truewallet_not_supported|internal_server_error|(api_)?server_error|rate_limit_exceeded)$/iu.test(code)

/** A picture in the request is refused before its format matters; the handler is that of bank slips. */
const UNREACHABLE = ["verifyWalletAsync INVALID_IMAGE_FORMAT", "verifyWalletBatch INVALID_IMAGE_FORMAT"]

const VERIFYING = ["/v2/verify/bank", "/v2/verify/bank/async", "/v2/decode", "/v1/verify"]

const settings = { ...env, EGRESS_HOSTS: "shop.example=93.184.215.14", VERIFY_RETRY_SCHEDULE: "1 hour" }

layer.live(layerRunningService(settings))("what the API answers", (it) => {
  it.effect("is exactly what it declares, for success and failure", function* () {
    const inSituations = VERIFYING.flatMap((path) => {
      // Searching a photograph for a QR code takes seconds, so it is done once.
      const { imageOfOtherQr: _, imageWithoutQr, verify: __, ...all } = situations(path)
      return path === "/v1/verify" ? [imageWithoutQr, ...Object.values(all)] : Object.values(all)
    })
    const closed = declared.filter(({ isOpen }) => !isOpen)
    const seen = yield* seenCodes([
      ...inSituations,
      ...callers(closed),
      ...provocations,
      ...walletProvocations
    ])

    const expected = declared.flatMap(({ codes, name }) =>
      ["success", ...codes.filter(isCommon)].map((code) => `${name} ${code}`)
    )
    assert.deepStrictEqual(expected.filter((one) => !seen.has(one) && !UNREACHABLE.includes(one)), [])
  })
})

const oncePerSecond = layerRunningService({ RATE_LIMIT: "1", RATE_LIMIT_BURST: "1" })

layer.live(oncePerSecond)("the rate limit", (it) => {
  it.effect("is answered by every operation as declared", function* () {
    const limited = declared.filter(({ isOpen }) => !isOpen)
    const seen = yield* seenCodes(limited.map(({ method, path }) =>
      Effect.gen(function* () {
        const { call, createService } = yield* RunningService
        const { mainBranch: { apiKey: key } } = yield* createService()
        // On a slow machine a second passes between two requests.
        const answer = yield* call("GET", "/v2/banks", { key }).pipe(
          Effect.andThen(call(method, path.replaceAll(/:\w+/gu, "1"), { key })),
          Effect.repeat({ until: ({ status }) => status === 429 })
        )
        assert.match(answer.headers.get("retry-after") ?? "", /^[1-9]\d*$/u)
        for (const name of ["limit", "remaining", "reset"]) assert.isTrue(answer.headers.has(`x-ratelimit-${name}`))
        return answer
      })
    ))
    for (const { codes, name } of limited) {
      const code = codes.find((declaredCode) => /^rate_limit_exceeded$/iu.test(declaredCode))
      assert.isTrue(code !== undefined && seen.has(`${name} ${code}`), name)
    }
  })
})
