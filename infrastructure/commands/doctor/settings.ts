import { type Config, Effect, Layer } from "effect"
import { isLoopbackHost } from "../../platform/ip-address.ts"
import { masterKeyOfSetting } from "../../adapters/keys/master-key.ts"
import { layerEgressOf, layerExternal } from "../../runtime/external-layers.ts"
import { corsOrigins, trustedProxies } from "../../runtime/listeners.ts"
import { isLocalTrial, sandboxFault, usesSandbox } from "../../runtime/sandbox-bank.ts"
import { requireSupported } from "../../runtime/service.ts"
import { describeConfigError, namesOf, type SettingInfo } from "../../platform/settings/setting.ts"
import { dotEnv, everySetting, type Settings } from "../../platform/settings/settings.ts"
import { type Finding, findingsAbout, when } from "./finding.ts"

const aboutSettings = findingsAbout("settings")
const aboutGateways = findingsAbout("gateways")
const aboutAdminApi = findingsAbout("admin API")
const aboutEgress = findingsAbout("egress")

/** A setting and its current value; for a secret, only whether it is set. */
export interface SettingReport {
  readonly name: string
  readonly value: string
  readonly from: "default" | "environment" | ".env"
  readonly default: string
  readonly description: string
}

/** The source and the text of a setting. Empty text counts as not set. */
const sourceOf = (names: ReadonlyArray<string>, file: ReturnType<typeof dotEnv>) => {
  for (const name of names) {
    const fromEnvironment = process.env[name]
    const text = fromEnvironment ?? file[name] ?? ""
    if (text !== "") return { from: fromEnvironment === undefined ? ".env" : "environment", text } as const
  }
  return { from: "default", text: undefined } as const
}

/** All settings with their values and sources. */
export const reportSettings = (): ReadonlyArray<SettingReport> => {
  const file = dotEnv()
  return everySetting.map((setting: SettingInfo) => {
    const { default: fallback = "", description, name, secret } = setting
    const { from, text } = sourceOf(namesOf(setting), file)
    const value = secret ? (text === undefined ? "not set" : "set") : text ?? fallback
    return { name, value, from, default: secret ? "not set" : fallback, description }
  })
}

/** Settings that cannot be read, and names in `.env` that are not settings. */
export const checkSettings = Effect.gen(function* () {
  const unreadable = yield* Effect.forEach(
    everySetting,
    (setting) =>
      Effect.match(Effect.asVoid<unknown, Config.ConfigError, never>(setting), {
        onSuccess: (): ReadonlyArray<Finding> => [],
        onFailure: (error) => [
          aboutSettings.fail(
            describeConfigError(error),
            `change ${setting.name}: ${setting.description} Default: ${setting.default ?? "none"}.`
          )
        ]
      })
  )
  const known = new Set<string>(everySetting.flatMap(namesOf))
  const unknown = Object.keys(dotEnv()).filter((name) => !known.has(name))
  return [
    ...unreadable.flat(),
    ...unknown.map((name) =>
      aboutSettings.warn(
        `.env sets ${name}, which is not a setting of SlipTrail`,
        "check the spelling: the settings are listed below"
      )
    )
  ]
})

/** Settings that can be read but that the service refuses at its start. */
const refusedSettings = Effect.fnUntraced(function* (settings: Settings) {
  const { masterKey } = settings
  const why = <E extends { readonly message: string }>(check: Effect.Effect<unknown, E>) =>
    Effect.match(check, { onSuccess: () => "", onFailure: ({ message }) => message })
  const builds = <A, E extends { readonly message: string }>(layer: Layer.Layer<A, E>) =>
    why(Effect.scoped(Layer.build(layer)))
  const messages = yield* Effect.all([
    why(requireSupported(settings)),
    why(masterKey === undefined ? Effect.void : masterKeyOfSetting(masterKey)),
    builds(trustedProxies(settings)),
    why(corsOrigins(settings)),
    builds(layerEgressOf(settings)),
    builds(layerExternal(settings))
  ])
  // Two checks can fail with the same message.
  return Array.from(
    new Set(messages.filter((message) => message !== "")),
    (message) => aboutSettings.fail(message, "change the setting: the service does not start with it")
  )
})

const sandboxFindings = (settings: Settings): ReadonlyArray<Finding> => {
  const { bankGateways, host } = settings
  // A refused sandbox bank is a fault of the settings already.
  if (!usesSandbox(settings) || sandboxFault(settings) !== undefined) return []
  const isOnlyGateway = bankGateways.length === 1
  const message = `the sandbox bank ${isOnlyGateway ? "answers for all slips" : `is one of ${bankGateways.join(", ")}`}`
  return isLocalTrial(settings)
    ? [aboutGateways.ok(`${message}: fine for tests, only this machine can call ${host}`)]
    : [
      aboutGateways.warn(
        `${message}, because of ALLOW_SANDBOX: anyone can create a slip that it confirms`,
        "remove sandbox from BANK_GATEWAYS before real use"
      )
    ]
}

/** Findings about what the settings expose to other machines. */
export const checkExposure = Effect.fnUntraced(function* (settings: Settings) {
  const { adminPort, egressAllowCidrs, host } = settings
  return [
    ...(yield* refusedSettings(settings)),
    ...sandboxFindings(settings),
    ...when(
      adminPort === undefined && !isLoopbackHost(host),
      aboutAdminApi.warn(
        `every machine that can call ${host} can try tokens of operators: admin API and console are on the port of the API`,
        "set ADMIN_PORT, so that they listen on an address of their own"
      )
    ),
    ...when(
      egressAllowCidrs.length > 0,
      aboutEgress.warn(
        `EGRESS_ALLOW_CIDRS allows callers to reach ${egressAllowCidrs.join(", ")}`,
        "allow only what is needed; leave it empty outside of tests and private networks"
      )
    )
  ]
})

interface Connection {
  readonly hosts: ReadonlyArray<string>
  readonly tls: boolean
  /** How to enable TLS. */
  readonly encrypted: string
}

/** Warns when the connection to another machine is not encrypted. */
export const checkTls = (
  about: string,
  setting: string,
  { encrypted, hosts, tls }: Connection
): ReadonlyArray<Finding> => {
  const remote = tls ? undefined : hosts.find((host) => !isLoopbackHost(host))
  if (remote === undefined) return []
  return [
    findingsAbout(about).warn(
      `${setting} connects to ${remote} without TLS: the network between them can read and change the traffic`,
      `${encrypted}, or use a private network`
    )
  ]
}
