import { NextCursor } from "../../../application/views/values.ts"
import { Order } from "../../../domain/order.ts"
import { callbackHost } from "../../../domain/callback.ts"
import { Schema, SchemaTransformation } from "effect"
import { readBoolean } from "./read-boolean.ts"

/** UTF-8 has no half of a surrogate pair: stored and read again, the text would differ from the one in the answer. */
const isWhole = Schema.makeFilter(
  (value: string) =>
    !/\p{Surrogate}/u.test(value) || "Expected whole characters: the text has half of a surrogate pair",
  { toJsonSchema: () => ({}) }
)

const hasLength = (max: number, unit: "characters" | "items") =>
  Schema.isBetweenLength(1, max, { expected: `1 to ${max} ${unit}` })

/** Checks that a text has 1 to `max` characters. */
export const isTextUpTo = (max: number) => hasLength(max, "characters")

/** Checks that an array has 1 to `max` items. */
export const isArrayUpTo = (max: number) => hasLength(max, "items")

/** Text of 1 to `maxLength` characters. */
export const text = (maxLength: number) => Schema.String.check(isTextUpTo(maxLength), isWhole)

/** A boolean of a query (docs/spec/http.md, "Booleans"). OpenAPI documents have its usual texts only. */
export const BooleanText = Schema.String.check(
  Schema.makeFilter((value: string) => readBoolean(value) !== undefined || "Expected true or false", {
    toJsonSchema: () => ({ enum: ["true", "false"] })
  })
).pipe(
  Schema.decodeTo(
    Schema.Boolean,
    SchemaTransformation.transform({
      decode: (value) => readBoolean(value) === true,
      encode: (value) => value ? "true" : "false"
    })
  )
)

/** Checks a text; the error says what was expected. */
export const expected = (isValid: (value: string) => boolean, description: string) =>
  Schema.makeFilter((value: string) => isValid(value) || `Expected ${description}`)

/** Text that is decoded to its normal form. */
export const normalized = (written: Schema.String, normal: (value: string) => string) =>
  written.pipe(
    Schema.decodeTo(Schema.String, SchemaTransformation.transform({ decode: normal, encode: (value) => value }))
  )

export const lowerCase = (value: string): string => value.toLowerCase()

/** A UUID in any case; decoded to lower case, as the log stores it. */
export const OperatorId = normalized(Schema.String.check(Schema.isUUID()), lowerCase)

/** Looks for one character that no host has: `^[^…]+$` remembers each character of a long text, and can exhaust the stack. */
const isHost = (value: string): boolean =>
  value !== "" && !/[\s/?#@\\]/u.test(value) && URL.canParse(`https://${value}/`)

/** The host of a callback URL, with the port unless it is 443; decoded to the form of `callbackHost`. */
export const Host = normalized(
  Schema.String.check(expected(isHost, "a host such as shop.example or shop.example:8443")),
  (host) => callbackHost(`https://${host}/`)
)

const TIME = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/u

/** Whether a day exists in the calendar: JavaScript reads 30 February as a day in March. */
const isUtcDay = (day: string): boolean => {
  const time = Date.parse(day)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day)
}

/** Near the years 0 and 10,000 an offset can give a year with a sign, which few parsers accept. */
const hasPlainYear = (time: number): boolean => !Number.isNaN(time) && /^\d{4}-/u.test(new Date(time).toISOString())

const isTime = (value: string): boolean => isUtcDay(TIME.exec(value)?.[1] ?? "") && hasPlainYear(Date.parse(value))

const inUtc = (value: string): string => new Date(value).toISOString()

/** A time with its offset, or a day, which begins in UTC; decoded to ISO 8601 in UTC. */
export const IsoTime = normalized(Schema.String.check(expected(isTime, "a time such as 2027-01-31T00:00:00Z")), inUtc)

const isZonedTime = (value: string): boolean => value.includes("T") && isTime(value)

/** A time with its offset; decoded to ISO 8601 in UTC. */
export const ZonedTime = normalized(
  Schema.String.check(expected(isZonedTime, "a time with an offset, such as 2027-01-31T00:00:00+07:00")),
  inUtc
)

/** An optional field; the description and the examples are those of its key. */
export const field = <S extends Schema.Constraint>(
  schema: S,
  description: string,
  ...examples: ReadonlyArray<S["Type"]>
) =>
  Schema.optionalKey(schema).pipe(
    Schema.annotateKey<Schema.optionalKey<S>>({ description, ...(examples.length === 0 ? {} : { examples }) })
  )

/** A boolean that is written as in the command line: other texts are refused. */
export const flag = (description: string) => field(Schema.Literals(["true", "false"]), description)

/** How long what was replaced stays good, in seconds: a day by default, a week at most. */
export const overlap = (description: string) =>
  Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 604_800 })).annotate({ description, default: 86_400 })
  )

/** A page of a list. */
export const pageOf = <Item extends Schema.Codec<unknown, unknown>>(item: Item) =>
  Schema.Struct({ items: Schema.Array(item), nextCursor: NextCursor })

/** The order of a list, with its default. */
export const order = (first: Order) =>
  field(
    Order,
    first === "oldest"
      ? "Which entries come first, by their time: the `oldest` by default, or the `newest`."
      : "Which entries come first, by their time: the `newest` by default, or the `oldest`."
  )

export const literals = <const Names extends ReadonlyArray<string>>(names: Names) =>
  Schema.Literals(names).annotate({ message: `Expected one of ${names.join(", ")}` })
