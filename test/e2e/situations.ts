import { assert } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { httpServer } from "../infrastructure/adapters/egress/loopback.ts"
import { readFixture } from "../infrastructure/adapters/pictures/fixtures.ts"
import { type Answer, type Client, newSlip } from "../support/client.ts"
import { RunningService } from "../support/service.ts"

/** Calls that lead to a certain answer of the running service. */
export type Provocation = Effect.Effect<Answer, never, RunningService | Scope.Scope>

/** Settings that all situations need. */
export const env = { EGRESS_ALLOW_CIDRS: "127.0.0.0/8" }

/** The bank whose gateway has a defect in some tests. */
export const BROKEN_BANK = "030"

const unknownKey = "0f8fad5b-d9cb-4f69-a165-70867728950e"

/** Creates a service with these fields. Returns it with its main branch. */
export const given = Effect.fnUntraced(function* (fields: object = {}) {
  const service = yield* RunningService
  const { accountId, id, mainBranch } = yield* service.createService(fields)
  return { ...service, accountId, serviceId: id, branchId: mainBranch.id, key: mainBranch.apiKey }
})

export interface Given extends Client {
  readonly accountId: string
  readonly serviceId: string
  readonly branchId: string
}

/** Operations of an operator on the service, its owner and its branch. */
export const operate = {
  deleteService: (own: Given) => own.admin("POST", `/services/${own.serviceId}/delete`),
  banService: (own: Given) => own.admin("POST", `/services/${own.serviceId}/ban`),
  banAccount: (own: Given) => own.admin("POST", `/accounts/${own.accountId}/ban`),
  deactivateService: (own: Given) => own.admin("POST", `/services/${own.serviceId}/deactivate`),
  deactivateBranch: (own: Given) => own.admin("POST", `/branches/${own.branchId}/deactivate`),
  listAnotherAddress: (own: Given) => own.admin("PATCH", `/branches/${own.branchId}`, { ipWhitelist: ["203.0.113.7"] }),
  exhaustQuota: (own: Given) => own.admin("PATCH", `/branches/${own.branchId}`, { quota: 0 })
} as const

const base64 = (bytes: number): string => "A".repeat(Math.ceil(bytes / 3) * 4)

/** Situations of a verification at a path of v1 or v2. Both versions share these fields. */
export const situations = (path: string) => {
  const verify = (body: unknown, fields: object = {}): Provocation =>
    Effect.flatMap(given(fields), ({ call, key }) => call("POST", path, { key, body }))
  const verifyNew = (options: Parameters<typeof newSlip>[0] = {}, fields: object = {}): Provocation =>
    Effect.suspend(() => verify({ payload: newSlip(options).payload }, fields))
  const after = (operation: (own: Given) => Effect.Effect<Answer>): Provocation =>
    Effect.gen(function* () {
      const own = yield* given()
      const done = yield* operation(own)
      assert.strictEqual(done.status, 200, done.text)
      return yield* own.call("POST", path, { key: own.key, body: { payload: newSlip().payload } })
    })
  const pictureAt = (body: string, status = 200): Provocation =>
    Effect.gen(function* () {
      const { url } = yield* httpServer((_, response) =>
        response.writeHead(status, { "content-type": "image/png" }).end(body)
      )
      return yield* verify({ url })
    })
  const fixture = (file: string): Provocation =>
    Effect.suspend(() => verify({ image: Buffer.from(readFixture(file)).toString("base64") }))

  return {
    verify,
    noKey: Effect.flatMap(RunningService, ({ call }) => call("POST", path, { body: { payload: newSlip().payload } })),
    unknownKey: Effect.flatMap(
      RunningService,
      ({ call }) => call("POST", path, { key: unknownKey, body: { payload: newSlip().payload } })
    ),
    addressNotListed: after(operate.listAnotherAddress),
    branchInactive: after(operate.deactivateBranch),
    serviceBanned: after(operate.banService),
    serviceDeleted: after(operate.deleteService),
    serviceDeactivated: after(operate.deactivateService),
    serviceExpired: verifyNew({}, { expiresAt: "2020-01-01T00:00:00Z" }),
    accountBanned: after(operate.banAccount),
    accountUnverified: Effect.gen(function* () {
      const { admin } = yield* RunningService
      const account = yield* admin<{ readonly id: string }>("POST", "/accounts", {})
      return yield* verifyNew({}, { accountId: account.data.id })
    }),
    quotaUsedUp: verifyNew({}, { quota: 0 }),
    noSource: verify({}),
    noJson: verify("{"),
    urlOfAnotherScheme: verify({ url: "ftp://example.com/slip.png" }),
    urlOfPrivateAddress: verify({ url: "http://10.0.0.1/slip.png" }),
    urlUnreachable: pictureAt("gone", 404),
    urlOfPage: pictureAt("<html>"),
    imageTooLarge: verify({ image: base64(4_194_305) }),
    notAnImage: verify({ image: "aGVsbG8=" }),
    imageWithoutQr: fixture("neg-no-qr-02.jpg"),
    imageOfTwoSlips: fixture("two-slips-01.jpg"),
    imageOfOtherQr: fixture("neg-url-qr-02.jpg"),
    notASlip: verify({ payload: "00020101021129370016A000000677010111" }),
    slipNotFound: verifyNew({ outcome: "not-found" }),
    slipOfNoBank: verifyNew({ bank: "999" }),
    slipPending: verifyNew({ outcome: "pending" }),
    bankIsDown: verifyNew({ outcome: "down" }),
    bankAnswersNonsense: verifyNew({ outcome: "nonsense" }),
    unexpectedFailure: verifyNew({ bank: BROKEN_BANK })
  }
}
