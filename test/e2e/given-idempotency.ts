import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { info } from "../../application/provisioning/info.ts"
import type { Answer, Verified } from "../support/client.ts"
import { RunningService } from "../support/service.ts"
import { assertEnvelope, assertFailure } from "./assert-answer.ts"
import { Shop } from "./given-shop.ts"

/** Sends a verification with an `Idempotency-Key`, by default of the shop. */
export const post = Effect.fnUntraced(function* <Data = Verified>(
  idempotencyKey: string,
  body: unknown,
  path = "",
  apiKey?: string
) {
  const { call } = yield* RunningService
  return yield* call<Data>("POST", `/v2/verify/bank${path}`, {
    key: apiKey ?? (yield* Shop).key,
    headers: { "idempotency-key": idempotencyKey },
    body
  })
})

/** The units that the branch of a key has used, as far as they are counted. */
export const usedBy = Effect.fnUntraced(function* (apiKey: string) {
  const { call } = yield* RunningService
  const { data } = yield* call<Effect.Success<ReturnType<typeof info>>>("GET", "/v2/info", { key: apiKey })
  return data.branch.quota.used
})

export const used = Effect.flatMap(Shop, ({ key }) => usedBy(key))

export const isReplayed = ({ headers }: Answer): boolean => headers.get("idempotent-replayed") === "true"

export const isInProgress = ({ error }: Answer): boolean => error?.code === "IDEMPOTENCY_IN_PROGRESS"

/** Checks for the same answer, byte for byte, with the header of a replay. */
export const assertReplayed = (again: Answer, first: Answer) => {
  assert.isFalse(isReplayed(first))
  assert.isTrue(isReplayed(again), again.text)
  assert.deepStrictEqual([again.status, again.text], [first.status, first.text])
  assertEnvelope(again)
}

export const assertReused = (answer: Answer) =>
  assertFailure(answer, 409, "IDEMPOTENCY_KEY_REUSED", "This Idempotency-Key was used with another request")

export const formOf = (png: Uint8Array, fields: Readonly<Record<string, string>> = {}) => {
  const form = new FormData()
  form.append("image", new Blob([new Uint8Array(png)]), "slip.png")
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  return form
}
