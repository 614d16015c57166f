import { assert, describe, it } from "@effect/vitest"
import { Arbitrary } from "effect"
import { eventCodec } from "../../../domain/events/event-codec.ts"
import type { Json } from "../../../domain/events/recorded-event.ts"
import { everyEvent, storedFields } from "../../support/every-event.ts"
import { recordedEvent as recorded } from "../../support/event-fixtures.ts"

/** Copies of a value, each with an added field in a different object, at any depth. */
const withStrayField = (value: Json): ReadonlyArray<Json> => {
  if (value === null || typeof value !== "object") return []
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => withStrayField(item).map((copy) => value.with(index, copy)))
  }
  const deeper = Object.entries(value).flatMap(([name, part]) =>
    withStrayField(part).map((copy) => ({ ...value, [name]: copy }))
  )
  return [{ ...value, stray: true }, ...deeper]
}

for (const schema of Object.values(everyEvent)) {
  const { decode, encode } = eventCodec(schema)
  for (const [type, eventSchema] of Object.entries(schema.cases)) {
    describe(`the codec of ${type}`, () => {
      it.prop("decodes what it encoded", [Arbitrary.schema(eventSchema)], ([event]) => {
        const { data, type } = encode(event)
        assert.deepStrictEqual(storedFields(decode(recorded(type, data))), storedFields(event))
      })

      it.prop("refuses to encode a field that the schema does not have, at any depth", [
        Arbitrary.schema(eventSchema)
      ], ([event]) => {
        for (const copy of withStrayField(storedFields(event))) {
          assert.throws(() => encode(copy as typeof event), /stray/u)
        }
      })
    })
  }
}
