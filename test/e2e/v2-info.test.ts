import { assert, layer } from "../support/it.ts"
import { Effect } from "effect"
import type { info } from "../../application/provisioning/info.ts"
import type { Decoded } from "../../application/verification/slip-source.ts"
import type { Bank } from "../../domain/bank.ts"
import { newSlip } from "../support/client.ts"
import { layerRunningService, RunningService } from "../support/service.ts"
import { assertFailure, assertInvalid } from "./assert-answer.ts"

type Info = Effect.Success<ReturnType<typeof info>>

const readInfo = Effect.fnUntraced(function* (key: string) {
  return yield* (yield* RunningService).call<Info>("GET", "/v2/info", { key })
})

layer.live(layerRunningService())("v2", (it) => {
  it.effect("returns a branch and its service, even when the quota is used up, and costs no unit", function* () {
    const { createBranch, createService, verify } = yield* RunningService
    const { id, mainBranch } = yield* createService({ name: "Shop", plan: "big", quota: 1, expiresAt: "2099-01-01" })
    const sub = yield* createBranch(id, { name: "Siam", quota: 10 })
    yield* verify(mainBranch.apiKey, newSlip().payload)
    assert.strictEqual((yield* verify(mainBranch.apiKey, newSlip().payload)).error?.code, "QUOTA_EXCEEDED")

    const { data, status } = yield* readInfo(mainBranch.apiKey)

    assert.strictEqual(status, 200)
    assert.deepStrictEqual(data, {
      application: {
        id,
        name: "Shop",
        autoRenew: { expired: false, quota: false },
        quota: { used: 1, max: 11, remaining: 10, totalUsed: 1 },
        expiresAt: "2099-01-01T00:00:00.000Z"
      },
      branch: {
        id: mainBranch.id,
        name: "Main",
        isMain: true,
        isActive: true,
        quota: { used: 1, max: 1, remaining: 0, totalUsed: 1 }
      },
      account: { email: null },
      product: { name: "big" }
    })
    const other = yield* readInfo(sub.apiKey)
    assert.deepInclude(other.data.branch, { name: "Siam", isMain: false })
    assert.deepStrictEqual(other.data.branch.quota, { used: 0, max: 10, remaining: 10, totalUsed: 0 })
  })

  it.effect("lists the banks with their options", function* () {
    const { call, createService } = yield* RunningService
    const { mainBranch } = yield* createService()
    const { data } = yield* call<ReadonlyArray<Bank>>("GET", "/v2/banks", { key: mainBranch.apiKey })
    assert.lengthOf(data, 35)
    for (const bank of data) assert.hasAllKeys(bank, ["code", "nameTh", "nameEn", "shortCode", "extraVerify"])
    assert.deepStrictEqual(
      data.filter(({ extraVerify }) => extraVerify !== null).map(({ code, extraVerify }) => [
        code,
        extraVerify?.map(({ value }) => value)
      ]),
      [["002", ["NAME", "NUMBER", "NAME_NUMBER"]], ["PROMPTPAY", ["MSISDN", "NATID", "EWALLETID"]]]
    )
  })

  it.effect("decodes a payload without a bank and without a quota unit", function* () {
    const { call, createService } = yield* RunningService
    const { mainBranch: { apiKey: key } } = yield* createService({ quota: 0 })
    const decode = (body: unknown) => call<Decoded>("POST", "/v2/decode", { key, body })
    const slip = newSlip()
    const decoded = {
      kind: "slip",
      payload: slip.payload,
      sendingBank: "004",
      transRef: slip.transRef,
      crc: "ok",
      hints: {}
    } as const
    assert.deepStrictEqual((yield* decode({ payload: slip.payload })).data, { ...decoded, slips: [decoded] })
    assert.deepInclude((yield* decode({ payload: "https://example.com" })).data, { kind: "other" })
    assertInvalid(yield* decode({}), "")
    assertFailure(yield* decode({ image: "aGVsbG8=" }), 400, "INVALID_IMAGE_FORMAT", "File is not a valid image")
    const unknown = yield* call("POST", "/v2/decode", { body: { payload: "a" } })
    assertFailure(unknown, 401, "MISSING_API_KEY", "Authorization header is required")
  })

  it.effect("answers ok at /v2/health without a key", function* () {
    const { call } = yield* RunningService
    const answer = yield* call("GET", "/v2/health")
    assert.deepStrictEqual([answer.status, answer.data], [200, { status: "ok" }])
  })
})
