import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { contactPurpose } from "../../../application/provisioning/directory.ts"
import { accountPurpose, jobPurposes, notePurposes, slipPurposes } from "../../../application/sealing/sealed-data.ts"
import { openEvent } from "../../../application/trail/sealed-fields.ts"
import type { JsonObject } from "../../../domain/events/recorded-event.ts"
import { recordOf } from "../../../domain/events/sealed-record.ts"
import { Vault } from "../../../ports/vault.ts"
import { recordedEvent } from "../../support/event-fixtures.ts"
import { layerKeys } from "../../support/ports.ts"

/** Where the sealed fields of a kind stand, twice: in two streams, or in two records of one stream. */
const places = {
  slip: [{ stream: "slip-s1-a", data: { verificationId: "1" } }, {
    stream: "slip-s1-a",
    data: { verificationId: "2" }
  }],
  job: [{ stream: "job-1", data: {} }, { stream: "job-2", data: {} }],
  note: [{ stream: "note-a", data: { noteId: "1" } }, { stream: "note-a", data: { noteId: "2" } }],
  bankAccount: [
    { stream: "bankAccount-s1-digest", data: { accountId: "1" } },
    { stream: "bankAccount-s2-digest", data: { accountId: "1" } }
  ],
  account: [{ stream: "account-1", data: {} }, { stream: "account-2", data: {} }]
} as const

const fields: ReadonlyArray<readonly [kind: keyof typeof places, field: string, purpose: string]> = [
  ...Object.entries(slipPurposes).map(([field, purpose]) => ["slip", field, purpose] as const),
  ...Object.entries(jobPurposes).map(([field, purpose]) => ["job", field, purpose] as const),
  ...Object.entries(notePurposes).map(([field, purpose]) => ["note", field, purpose] as const),
  ["bankAccount", "details", accountPurpose],
  ["account", "contact", contactPurpose]
]

const eventOf = (stream: string, data: JsonObject) => recordedEvent("ContractTested", data, { stream })

describe("a sealed value that was copied into another record", () => {
  it.effect.each(fields)("does not open: %s, %s", ([kind, field, purpose]) =>
    Effect.gen(function* () {
      const [own, other] = places[kind]
      const sealed = yield* (yield* Vault).seal(purpose, '"secret"', undefined, recordOf(eventOf(own.stream, own.data)))
      const opened = ({ data, stream }: typeof own | typeof other) =>
        Effect.map(openEvent(eventOf(stream, { ...data, [field]: sealed })), (event) => event.data[field])
      assert.include(JSON.stringify(yield* opened(own)), "secret")
      assert.notInclude(JSON.stringify(yield* opened(other)), "secret")
    }).pipe(Effect.provide(layerKeys)))
})
