import { Result } from "effect"
import { type GatewaySettingError, refuseSetting } from "./setting-error.ts"

/**
 * Where a bank's API begins, without a slash at its end. Secrets go there: only over https, or to this machine.
 * Fails with the name of the setting.
 */
export const parseBaseUrl = (setting: string, text: string): Result.Result<string, GatewaySettingError> => {
  const url = URL.parse(text)
  if (url === null) return Result.fail(refuseSetting(setting, "is no URL"))
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    return Result.fail(refuseSetting(setting, "must be a bare URL: no user, no password, no query, no fragment"))
  }
  return url.protocol === "https:" || (url.protocol === "http:" && loopback.test(url.hostname))
    ? Result.succeed(url.href.replace(/\/+$/u, ""))
    : Result.fail(refuseSetting(setting, "must begin with https://, as secrets are sent there"))
}

/** The URL parser has turned every spelling of an IPv4 address into this one. */
const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/u
