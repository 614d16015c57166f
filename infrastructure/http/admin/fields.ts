import { Schema, SchemaTransformation } from "effect"
import { callbackHost } from "../../../domain/callback.ts"
import { isWhitelistEntry } from "../client-address.ts"
import { RotateBody } from "../api/branch-fields.ts"
import { decodeFields, text } from "../decode-fields.ts"

/** A UUID in lower case, as ids stand in the log. */
export const Id = Schema.String.check(Schema.isUUID()).pipe(
  Schema.decodeTo(
    Schema.String,
    SchemaTransformation.transform({ decode: (id) => id.toLowerCase(), encode: (id) => id })
  )
)

const isHost = (value: string): boolean => /^[^\s/?#@\\]+$/u.test(value) && URL.canParse(`https://${value}/`)

/** A server as callbacks are counted by: its name, with the port unless that is 443. */
export const Host = Schema.String.check(
  Schema.makeFilter((value: string) => isHost(value) || "Expected a host such as shop.example or shop.example:8443")
).pipe(
  Schema.decodeTo(
    Schema.String,
    SchemaTransformation.transform({ decode: (host) => callbackHost(`https://${host}/`), encode: (host) => host })
  )
)

/** Verifications a calendar month; null is unlimited. */
const Quota = Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000_000 })))

const MOMENT = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/u

/** A day that the calendar has: JavaScript takes 30 February for a day in March. */
const isDay = (day: string): boolean => {
  const time = Date.parse(day)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day)
}

/** Around the years 0 and 10,000 an offset leads to years that are written with a sign, which few readers take. */
const hasPlainYear = (time: number): boolean => !Number.isNaN(time) && /^\d{4}-/u.test(new Date(time).toISOString())

const isMoment = (value: string): boolean => isDay(MOMENT.exec(value)?.[1] ?? "") && hasPlainYear(Date.parse(value))

/** A time with its offset, or a day, which begins in UTC; read as ISO 8601 in UTC, which every reader takes for the same. */
export const Moment = Schema.String.check(
  Schema.makeFilter((value: string) => isMoment(value) || "Expected a time such as 2027-01-31T00:00:00Z")
).pipe(
  Schema.decodeTo(
    Schema.String,
    SchemaTransformation.transform({ decode: (value) => new Date(value).toISOString(), encode: (value) => value })
  )
)

const WhitelistEntry = Schema.String.check(
  Schema.makeFilter((entry: string) =>
    isWhitelistEntry(entry) || "Expected an IPv4 or IPv6 address, a CIDR range, or *"
  )
)
const Whitelist = Schema.Array(WhitelistEntry).check(Schema.isBetweenLength(1, 1_000))

const isHttpsUrl = (value: string): boolean => {
  const url = URL.parse(value)
  return url !== null && url.protocol === "https:" && url.username === "" && url.password === ""
}
const WebhookUrl = Schema.NullOr(
  text(2048).check(
    Schema.makeFilter((value: string) =>
      isHttpsUrl(value) || "Expected an absolute https URL without a user name or password"
    )
  )
)

const branchSettings = {
  quota: Schema.optionalKey(Quota),
  ipWhitelist: Schema.optionalKey(Whitelist),
  webhookUrl: Schema.optionalKey(WebhookUrl)
}

/** Bodies of the admin API (docs/spec/http.md, "Admin API"). */
export const decodeAccount = decodeFields(Schema.Struct({
  name: Schema.optionalKey(Schema.NullOr(text(200))),
  email: Schema.optionalKey(Schema.NullOr(text(320)))
}))

export const decodeService = decodeFields(Schema.Struct({
  name: text(200),
  accountId: Schema.optionalKey(Schema.String.check(Schema.isUUID())),
  plan: Schema.optionalKey(text(100)),
  quota: Schema.optionalKey(Quota),
  expiresAt: Schema.optionalKey(Schema.NullOr(Moment))
}))

export const decodeServiceChange = decodeFields(Schema.Struct({
  name: Schema.optionalKey(text(200)),
  plan: Schema.optionalKey(text(100)),
  quota: Schema.optionalKey(Quota),
  expiresAt: Schema.optionalKey(Schema.NullOr(Moment))
}))

export const decodeBranch = decodeFields(Schema.Struct({ name: text(200), ...branchSettings }))

export const decodeBranchChange = decodeFields(Schema.Struct({
  name: Schema.optionalKey(text(200)),
  ...branchSettings
}))

/** A link of a bank account. */
export const decodeLink = decodeFields(Schema.Struct({ branchId: Id }))

export const decodeReason = decodeFields(Schema.Struct({ reason: Schema.optionalKey(Schema.NullOr(text(500))) }))

export const decodeRotation = decodeFields(RotateBody)
