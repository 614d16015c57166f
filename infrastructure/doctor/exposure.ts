import { Effect, Layer, Redacted } from "effect"
import { layerEgressOf, layerExternal } from "../runtime/external-layers.ts"
import { supported, trustedProxies } from "../runtime/service.ts"
import type { Settings } from "../settings/settings.ts"
import { masterKeyOfSetting } from "../keys/master-key.ts"
import { fail, type Finding, ok, warn } from "./finding.ts"
import { isLoopback } from "./tls-check.ts"

/** Shorter tokens can be guessed. */
const LEAST_TOKEN = 20

/** Settings that can be read and that the service would refuse all the same. */
const refused = Effect.fnUntraced(function* (settings: Settings) {
  const { masterKey } = settings
  const why = <E extends { readonly message: string }>(check: Effect.Effect<unknown, E>) =>
    Effect.match(check, { onSuccess: () => "", onFailure: ({ message }) => message })
  const builds = <A, E extends { readonly message: string }>(layer: Layer.Layer<A, E>) =>
    why(Effect.scoped(Layer.build(layer)))
  const messages = yield* Effect.all([
    why(supported(settings)),
    why(masterKey === undefined ? Effect.void : masterKeyOfSetting(masterKey)),
    builds(trustedProxies(settings)),
    builds(layerEgressOf(settings)),
    builds(layerExternal(settings))
  ])
  // The world outside fails of the way out too, with the same words.
  return Array.from(
    new Set(messages.filter((message) => message !== "")),
    (message) => fail("settings", message, "the service does not start with it: change the setting")
  )
})

const sandboxed = ({ bankGateways, host }: Settings): ReadonlyArray<Finding> => {
  if (!bankGateways.includes("sandbox")) return []
  const alone = bankGateways.length === 1
  const message = `the sandbox bank ${alone ? "answers for all slips" : `is one of ${bankGateways.join(", ")}`}`
  return isLoopback(host)
    ? [ok("gateways", `${message}: fine for trying out, and only this machine can call ${host}`)]
    : [
      warn(
        "gateways",
        `${message}, and others can call ${host}: anybody can make a slip that it confirms`,
        "take sandbox out of BANK_GATEWAYS before real money depends on an answer"
      )
    ]
}

/** What the settings let in and out. */
export const judgeExposure = Effect.fnUntraced(function* (settings: Settings) {
  const { adminToken, egressAllowCidrs } = settings
  const findings: ReadonlyArray<Finding> = [
    ...(yield* refused(settings)),
    ...sandboxed(settings),
    ...(adminToken !== undefined && Redacted.value(adminToken).length < LEAST_TOKEN
      ? [warn("admin API", "ADMIN_TOKEN is short enough to be guessed", "make one with: openssl rand -base64 32")]
      : []),
    ...(egressAllowCidrs.length > 0
      ? [
        warn(
          "egress",
          `EGRESS_ALLOW_CIDRS lets callers have ${egressAllowCidrs.join(", ")} fetched`,
          "keep it to what is needed, and empty outside of tests and private networks"
        )
      ]
      : [])
  ]
  return findings
})
