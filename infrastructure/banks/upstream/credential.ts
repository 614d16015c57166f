import { Redacted, Result } from "effect"
import { type GatewaySettingError, refuseSetting } from "./setting-error.ts"

/** A credential that a gateway can't do without and that can stand in a header. Fails with the name of its setting. */
export const requireCredential = (
  setting: string,
  value: Redacted.Redacted | undefined,
  gateway: string
): Result.Result<Redacted.Redacted, GatewaySettingError> => {
  if (value === undefined || Redacted.value(value) === "") {
    return Result.fail(refuseSetting(setting, `is missing: set it, or take ${gateway} out of BANK_GATEWAYS`))
  }
  return /^[\x21-\x7e]+$/u.test(Redacted.value(value))
    ? Result.succeed(value)
    : Result.fail(refuseSetting(setting, "must be printable ASCII without spaces: copy it once more"))
}
