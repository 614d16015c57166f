import { Schema, SchemaTransformation } from "effect"
import { parseTimeInBangkok } from "../../../../domain/time.ts"
import { expected, field } from "../values.ts"

/** A time as a person writes it; decoded to milliseconds. A day is its first or its last millisecond in Bangkok. */
export const writtenTime = (ofDay: "first" | "last") =>
  Schema.String.check(
    expected(
      (value) => parseTimeInBangkok(value, ofDay) !== undefined,
      "a time such as 2026-11-21T15:45:00+07:00, or in Bangkok: 2026-11-21 15:45, or 2026-11-21 for its "
        + (ofDay === "first" ? "beginning" : "end")
    )
  ).pipe(
    Schema.decodeTo(
      Schema.Int,
      SchemaTransformation.transform({
        decode: (value) => parseTimeInBangkok(value, ofDay)?.at ?? 0,
        encode: (at) => new Date(at).toISOString()
      })
    )
  )

/** The bounds of a list, both inclusive. `time` says by which time it is ordered. */
export const timeRange = (time: string) => ({
  from: field(
    writtenTime("first"),
    `Only entries from then on, by ${time}. A day is that of Bangkok, from its beginning.`
  ),
  to: field(writtenTime("last"), "Only entries up to then. A day counts to its end.")
})

interface Range {
  readonly from?: number
  readonly to?: number
}

/** Refuses bounds that contain no time. */
export const inOrder = Schema.makeFilter(({ from = -Infinity, to = Infinity }: Range) =>
  from <= to || { path: ["to"], issue: "Expected a time that is not before from" }
)
