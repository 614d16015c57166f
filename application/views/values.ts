import { Schema } from "effect"

const formatted = (pattern: RegExp, format: string) =>
  Schema.String.check(
    Schema.makeFilter((value: string) => pattern.test(value), { toJsonSchema: () => [{ format }, true] })
  )

/** A UUID. Callers may write it in any case. */
export const Id = formatted(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u, "uuid")

/** ISO 8601, UTC. */
export const Time = formatted(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{3})?Z$/u, "date-time")

/** ISO 8601 with the offset of Bangkok. */
export const SlipTime = formatted(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\+07:00$/u, "date-time")

/** Money in baht, at most two decimals. */
export const Baht = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))

export const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** The cursor of the next page. */
export const NextCursor = Schema.NullOr(Schema.String).annotate({
  description: "`cursor` of the next page; null on the last one."
})
