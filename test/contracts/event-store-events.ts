import { randomUUID } from "node:crypto"
import type { JsonObject, NewEvent } from "../../domain/events/recorded-event.ts"
import { someEvent } from "../support/event-fixtures.ts"

export const newStream = (): string => `contract-${randomUUID()}`

export const newEvent = (data: JsonObject = { satang: 150050 }): NewEvent =>
  someEvent(randomUUID(), "ContractTested", data)

export const newEvents = (count: number): ReadonlyArray<NewEvent> =>
  Array.from({ length: count }, (_, index) => newEvent({ index }))
