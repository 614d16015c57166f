import { Schema } from "effect"
import type { SettingName } from "../../../../domain/branch-settings.ts"
import { parseApiKey } from "../../../../domain/ids.ts"
import { parseRange } from "../../../platform/ip-address.ts"
import { expected, field, isArrayUpTo, IsoTime, lowerCase, normalized, OperatorId, overlap, text } from "../values.ts"

/** The plan of a service when the request names none. */
export const DEFAULT_PLAN = "standard"

const Quota = Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000_000 }))).annotate({
  description: "Verifications in a calendar month in Bangkok; null is unlimited."
})

/** An entry of a branch's IP whitelist (docs/spec/http.md, "Admin API"). */
export const isWhitelistEntry = (entry: string): boolean => entry === "*" || parseRange(entry) !== undefined

const Whitelist = Schema.Array(
  Schema.String.check(expected(isWhitelistEntry, "an IPv4 or IPv6 address, a CIDR range, or *"))
).check(isArrayUpTo(1_000)).annotate({
  description: "Addresses that may call: IPv4 or IPv6 addresses, CIDR ranges, or `*` for all."
})

const isHttpsUrl = (value: string): boolean => {
  const url = URL.parse(value)
  return url !== null && url.protocol === "https:" && url.username === "" && url.password === ""
}

const WebhookUrl = Schema.NullOr(
  text(2048).check(expected(isHttpsUrl, "an absolute https URL without a user name or password"))
).annotate({ description: "The default webhook URL: an https URL, or null for none." })

const Name = text(200).annotate({ description: "1 to 200 characters." })

const Plan = text(100).annotate({ description: "The name of the plan.", default: DEFAULT_PLAN })

/** A key of another verifier; decoded to lower case, as it is compared. The error does not contain it. */
const ApiKey = Schema.RedactedFromValue(
  normalized(
    Schema.String.check(expected((key) => parseApiKey(key) !== undefined, "an API key: a UUID v4")),
    lowerCase
  )
).annotate({
  description: "The API key that the clients of another verifier have, a UUID v4. Without it a new key is created."
})

const Expiry = Schema.NullOr(IsoTime).annotate({
  description: "When the service ends: ISO 8601 with an offset; null is never."
})

const settings = {
  quota: Schema.optionalKey(Quota),
  ipWhitelist: Schema.optionalKey(Whitelist),
  webhookUrl: Schema.optionalKey(WebhookUrl)
} satisfies Record<SettingName, Schema.Top>

/** The request bodies of the admin API for provisioning (docs/spec/http.md, "Admin API"). */
export const AccountRequest = Schema.Struct({
  name: field(Schema.NullOr(text(200)), "The owner's name, sealed in the log."),
  email: field(Schema.NullOr(text(320)), "The owner's e-mail address, sealed in the log.")
}).annotate({ identifier: "AccountRequest" })

export const ServiceRequest = Schema.Struct({
  name: Name,
  accountId: field(
    Schema.String.check(Schema.isUUID()),
    "The account that owns the service; without it a verified account is created."
  ),
  plan: Schema.optionalKey(Plan),
  quota: Schema.optionalKey(Quota),
  expiresAt: Schema.optionalKey(Expiry),
  apiKey: Schema.optionalKey(ApiKey)
}).annotate({ identifier: "ServiceRequest" })

export const ServiceChangeRequest = Schema.Struct({
  name: Schema.optionalKey(Name),
  plan: Schema.optionalKey(Plan),
  quota: Schema.optionalKey(Quota),
  expiresAt: Schema.optionalKey(Expiry)
}).annotate({ identifier: "ServiceChangeRequest" })

export const BranchRequest = Schema.Struct({
  name: Name,
  ...settings,
  apiKey: Schema.optionalKey(ApiKey)
}).annotate({ identifier: "BranchRequest" })

export const BranchChangeRequest = Schema.Struct({ name: Schema.optionalKey(Name), ...settings }).annotate({
  identifier: "BranchChangeRequest"
})

export const LinkRequest = Schema.Struct({
  branchId: OperatorId.annotate({ description: "The branch: one of the service that the account belongs to." })
}).annotate({ identifier: "LinkRequest" })

export const ReasonRequest = Schema.Struct({
  reason: field(Schema.NullOr(text(500)), "Why, for the trail.")
}).annotate({ identifier: "ReasonRequest" })

/** The body of a secret rotation (docs/spec/http.md, "Secret rotation"). */
export const RotateRequest = Schema.Struct({
  overlapSeconds: overlap("How long the previous secret stays good, in seconds.")
}).annotate({ identifier: "RotateRequest" })
