import { randomUUID } from "node:crypto"
import type { JsonObject, NewEvent } from "../../domain/events/recorded-event.ts"

export const newStream = (): string => `contract-${randomUUID()}`

export const newEvent = (data: JsonObject = { satang: 150050 }): NewEvent => ({
  id: randomUUID(),
  type: "ContractTested",
  data,
  metadata: {
    at: "2026-01-31T17:00:00.000Z",
    correlationId: "request-1",
    causationId: "command-1",
    actor: { kind: "branch", id: "branch-1" },
    schema: 1
  }
})

export const newEvents = (count: number): ReadonlyArray<NewEvent> =>
  Array.from({ length: count }, (_, index) => newEvent({ index }))
