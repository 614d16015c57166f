import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type Client, newSlip } from "../support/client.ts"
import { layerRunningService, RunningService } from "../support/service.ts"

interface Own extends Client {
  readonly accountId: string
  readonly serviceId: string
  readonly branchId: string
}

/** What can be wrong with a request, in the order in which it is looked at (contract, "Order of checks"). */
const faults = [
  { code: "NOT_FOUND", path: "/v2/verify/nothing" },
  { code: "MISSING_API_KEY", key: "missing" },
  { code: "INVALID_API_KEY", key: "unknown" },
  { code: "SERVICE_DELETED", operate: (own: Own) => own.admin("POST", `/services/${own.serviceId}/delete`) },
  { code: "SERVICE_BANNED", operate: (own: Own) => own.admin("POST", `/services/${own.serviceId}/ban`) },
  { code: "USER_BANNED", operate: (own: Own) => own.admin("POST", `/accounts/${own.accountId}/ban`) },
  { code: "SERVICE_INACTIVE", operate: (own: Own) => own.admin("POST", `/services/${own.serviceId}/deactivate`) },
  { code: "BRANCH_INACTIVE", operate: (own: Own) => own.admin("POST", `/branches/${own.branchId}/deactivate`) },
  {
    code: "IP_NOT_ALLOWED",
    operate: (own: Own) => own.admin("PATCH", `/branches/${own.branchId}`, { ipWhitelist: ["203.0.113.7"] })
  },
  { code: "VALIDATION_ERROR", body: "{" },
  { code: "QUOTA_EXCEEDED", operate: (own: Own) => own.admin("PATCH", `/branches/${own.branchId}`, { quota: 0 }) }
] as const

type Fault = (typeof faults)[number]

const pairs = faults.flatMap((first, index) => faults.slice(index + 1).map((second) => [first, second] as const))
  // Nobody can leave the key away and give an unknown one.
  .filter(([first, second]) => !("key" in first && "key" in second))

const provoke = Effect.fnUntraced(function*(endpoint: string, wrong: ReadonlyArray<Fault>) {
  const service = yield* RunningService
  const { accountId, id: serviceId, mainBranch } = yield* service.createService()
  const own: Own = { ...service, accountId, serviceId, branchId: mainBranch.id }
  // From the end: nothing can be done to a service that is deleted.
  for (const fault of wrong.toReversed()) if ("operate" in fault) yield* fault.operate(own)
  const path = wrong.find((fault) => "path" in fault)?.path ?? "/v2/verify/bank"
  const key = wrong.find((fault) => "key" in fault)?.key
  const slip = { payload: newSlip().payload }
  const body = wrong.find((fault) => "body" in fault)?.body ?? (endpoint.endsWith("batch") ? { slips: [slip] } : slip)
  const apiKey = key === "unknown" ? "0f8fad5b-d9cb-4f69-a165-70867728950e" : mainBranch.apiKey
  return yield* own.call("POST", path, { body, key: key === "missing" ? undefined : apiKey })
})

layer(layerRunningService(), { excludeTestServices: true })("of two faults", (it) => {
  for (const [first, second] of pairs) {
    it.effect(`${first.code} is told before ${second.code}`, () =>
      Effect.gen(function*() {
        const answer = yield* provoke("/v2/verify/bank", [first, second])
        assert.strictEqual(answer.error?.code, first.code, answer.text)
      }))
  }

  for (const endpoint of ["/v2/verify/bank/async", "/v2/verify/bank/batch"]) {
    it.effect(`the first is told by ${endpoint} too`, () =>
      Effect.forEach(faults.slice(1), (first, index) =>
        Effect.gen(function*() {
          const second = faults[index + 2]
          if (second === undefined || ("key" in first && "key" in second)) return
          const answer = yield* provoke(endpoint, [first, second])
          assert.strictEqual(answer.error?.code, first.code, answer.text)
        }), { discard: true }))
  }
})
