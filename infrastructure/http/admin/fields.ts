import { DateTime, Option, Schema } from "effect"
import { isWhitelistEntry } from "../client-address.ts"
import { decodeFields, text } from "../decode-fields.ts"

/** Verifications a calendar month; null is unlimited. */
const Quota = Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000_000 })))

const Moment = Schema.String.check(
  Schema.makeFilter((value: string) =>
    Option.isSome(DateTime.make(value)) || "Expected a time such as 2027-01-31T00:00:00Z"
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
  text(2048).check(Schema.makeFilter((value: string) =>
    isHttpsUrl(value) || "Expected an absolute https URL without a user name or password"
  ))
)

const branchSettings = {
  quota: Schema.optionalKey(Quota),
  ipWhitelist: Schema.optionalKey(Whitelist),
  webhookUrl: Schema.optionalKey(WebhookUrl)
}

/** Bodies of the admin API (contract, "Admin API"). */
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

export const decodeReason = decodeFields(Schema.Struct({ reason: Schema.optionalKey(Schema.NullOr(text(500))) }))

export const decodeRotation = decodeFields(Schema.Struct({
  overlapSeconds: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 604_800 })))
}))
