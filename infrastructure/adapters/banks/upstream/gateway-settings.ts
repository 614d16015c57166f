import { type Duration, Effect, Redacted, Result, Schema } from "effect"
import { isSendingBank } from "../../../../domain/bank.ts"

/** A gateway cannot be used with its settings. The message is for the operator and names the setting. */
export class GatewaySettingError extends Schema.TaggedError<GatewaySettingError>()("GatewaySettingError", {
  setting: Schema.String,
  message: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {}

/** `problem` says what is wrong and what to do. */
export const settingError = (setting: string, problem: string, cause?: unknown): GatewaySettingError =>
  new GatewaySettingError({
    setting,
    message: `${setting} ${problem}`,
    ...(cause === undefined ? {} : { cause })
  })

/**
 * Reads the base URL of a bank's API; the result has no trailing slash. Secrets are sent there, so it must use https or
 * point to this machine.
 */
export const parseBaseUrl = (setting: string, text: string): Result.Result<string, GatewaySettingError> => {
  const url = URL.parse(text)
  if (url === null) return Result.fail(settingError(setting, "is not a URL"))
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    return Result.fail(settingError(setting, "must be a URL without user, password, query and fragment"))
  }
  return url.protocol === "https:" || (url.protocol === "http:" && loopback.test(url.hostname))
    ? Result.succeed(url.href.replace(/\/+$/u, ""))
    : Result.fail(settingError(setting, "must begin with https://, because secrets are sent there"))
}

/** The URL parser normalises every spelling of an IPv4 address to this one. */
const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/u

/** Requires a credential that can be sent in a header. */
export const requireCredential = (
  setting: string,
  value: Redacted.Redacted | undefined,
  gateway: string
): Effect.Effect<Redacted.Redacted, GatewaySettingError> => {
  if (value === undefined || Redacted.value(value) === "") {
    return Effect.fail(settingError(setting, `is missing: set it, or remove ${gateway} from BANK_GATEWAYS`))
  }
  return /^[\x21-\x7e]+$/u.test(Redacted.value(value))
    ? Effect.succeed(value)
    : Effect.fail(settingError(setting, "must be printable ASCII without spaces: copy it again"))
}

/** Requires codes of banks that send slips. */
export const parseBankCodes = (
  setting: string,
  codes: ReadonlyArray<string>
): Result.Result<ReadonlyArray<string>, GatewaySettingError> => {
  const wrong = codes.find((code) => !isSendingBank(code))
  return wrong === undefined
    ? Result.succeed(codes)
    : Result.fail(settingError(setting, `contains "${wrong}", which is not a bank code`))
}

/** Values of the settings that every vendor has. */
export interface VendorValues {
  readonly baseUrl: string
  readonly timeout: Duration.Duration
  readonly concurrency: number
  readonly sendingBanks: ReadonlyArray<string>
  /** In baht. */
  readonly price: number | undefined
}
