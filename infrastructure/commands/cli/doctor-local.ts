import { Config, Effect, Struct } from "effect"
import { checkSigning } from "../doctor/data-folder.ts"
import type { Finding } from "../doctor/finding.ts"
import { checkGateways } from "../doctor/gateways.ts"
import { checkOidc } from "../doctor/oidc.ts"
import { checkExposure, checkSettings, reportSettings } from "../doctor/settings.ts"
import { checkStores } from "../doctor/stores.ts"
import { checkVersions, versions } from "../doctor/versions.ts"
import { readSettings, settings } from "../../platform/settings/settings.ts"

/** The settings of the stores; readable even when other settings are not. */
const storeSettings = Config.all(
  Struct.pick(settings, ["dataDir", "eventStoreUrl", "redisUrl", "masterKey", "subjectKeysFile", "signingKey", "roles"])
)

/** Examines the installation on this machine. */
export const examineHere = Effect.gen(function* () {
  const readable = yield* Effect.option(readSettings)
  const stores = yield* Effect.option(storeSettings)
  const slipReader = readable._tag === "Some" ? readable.value.slipReader : "native"
  const findings: ReadonlyArray<Finding> = [
    ...(yield* checkSettings),
    ...(readable._tag === "Some" ? yield* checkExposure(readable.value) : []),
    ...(readable._tag === "Some" ? yield* checkGateways(readable.value) : []),
    ...(readable._tag === "Some" ? yield* checkOidc(readable.value) : []),
    ...(yield* checkVersions({ slipReader })),
    ...(stores._tag === "Some" ? yield* checkStores(stores.value) : []),
    ...(stores._tag === "Some" ? yield* checkSigning(stores.value) : [])
  ]
  return { settings: reportSettings(), versions: versions(), findings }
})
