import { Effect } from "effect"
import { newSlip } from "../support/client.ts"
import { type Given, given, operate } from "./situations.ts"

/** Faults of a request, in the order of the service's checks (docs/spec/http.md, "Order of checks"). */
export const faults = [
  { v2: "NOT_FOUND", v1: "not_found", path: "/nothing" },
  { v2: "MISSING_API_KEY", v1: "unauthorized", key: "missing" },
  { v2: "INVALID_API_KEY", v1: "unauthorized", key: "unknown" },
  { v2: "SERVICE_DELETED", v1: "application_deactivated", operate: operate.deleteService },
  { v2: "SERVICE_BANNED", v1: "access_denied", operate: operate.banService },
  { v2: "USER_BANNED", v1: "access_denied", operate: operate.banAccount },
  { v2: "SERVICE_INACTIVE", v1: "application_deactivated", operate: operate.deactivateService },
  { v2: "BRANCH_INACTIVE", v1: "application_deactivated", operate: operate.deactivateBranch },
  { v2: "IP_NOT_ALLOWED", v1: "access_denied", operate: operate.listAnotherAddress },
  { v2: "VALIDATION_ERROR", v1: "invalid_request", body: "{" },
  { v2: "QUOTA_EXCEEDED", v1: "quota_exceeded", operate: operate.exhaustQuota }
] as const

export type Fault = (typeof faults)[number]

/** Every pair of faults that a request can have together. The service must answer with the first. */
export const pairs: ReadonlyArray<readonly [Fault, Fault]> = faults
  .flatMap((first, index) => faults.slice(index + 1).map((second) => [first, second] as const))
  // A key cannot be both missing and unknown.
  .filter(([first, second]) => !("key" in first && "key" in second))

const keyOf = (present: ReadonlyArray<Fault>, own: Given & { readonly key: string }): string | undefined => {
  const key = present.find((fault) => "key" in fault)?.key
  if (key === "missing") return undefined
  return key === "unknown" ? "0f8fad5b-d9cb-4f69-a165-70867728950e" : own.key
}

/** Sends a request with these faults for the branch of a new service. */
export const provoke = Effect.fnUntraced(function* (endpoint: string, present: ReadonlyArray<Fault>) {
  const own = yield* given()
  // Starts with the last fault, because a deleted service cannot be changed any more.
  for (const fault of present.toReversed()) if ("operate" in fault) yield* fault.operate(own)
  const slip = { payload: newSlip().payload }
  return yield* own.call("POST", endpoint + (present.find((fault) => "path" in fault)?.path ?? ""), {
    key: keyOf(present, own),
    body: present.find((fault) => "body" in fault)?.body ?? (endpoint.endsWith("batch") ? { slips: [slip] } : slip)
  })
})
