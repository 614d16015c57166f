import { Config, Console, Effect } from "effect"
import { Command } from "effect/cli"
import { readSettings, settings } from "../settings/settings.ts"
import { checkExposure, checkSettings, reportSettings, type SettingReport } from "../doctor/settings.ts"
import type { Finding } from "../doctor/finding.ts"
import { checkGateways } from "../doctor/gateways.ts"
import { checkSigning } from "../doctor/data-folder.ts"
import { checkStores } from "../doctor/stores.ts"
import { checkVersions, versions } from "../doctor/versions.ts"
import { visibleLine } from "../visible-text.ts"
import { answerIsNo } from "./exit.ts"
import { jsonFlag } from "./flags.ts"
import { padded, print, printTable, widest } from "./output.ts"

/** The settings of the stores; readable even when other settings are not. */
const storeSettings = Config.all({
  dataDir: settings.dataDir,
  eventStoreUrl: settings.eventStoreUrl,
  redisUrl: settings.redisUrl,
  masterKey: settings.masterKey,
  subjectKeysFile: settings.subjectKeysFile,
  signingKey: settings.signingKey,
  roles: settings.roles
})

const examine = Effect.gen(function* () {
  const readable = yield* Effect.option(readSettings)
  const stores = yield* Effect.option(storeSettings)
  const slipReader = readable._tag === "Some" ? readable.value.slipReader : "native"
  const findings: ReadonlyArray<Finding> = [
    ...(yield* checkSettings),
    ...(readable._tag === "Some" ? yield* checkExposure(readable.value) : []),
    ...(readable._tag === "Some" ? yield* checkGateways(readable.value) : []),
    ...(yield* checkVersions({ slipReader })),
    ...(stores._tag === "Some" ? yield* checkStores(stores.value) : []),
    ...(stores._tag === "Some" ? yield* checkSigning(stores.value) : [])
  ]
  return { settings: reportSettings(), versions: versions(), findings }
})

const printSettings = (reports: ReadonlyArray<SettingReport>) =>
  printTable(
    ["setting", "value", "from", "default", "description"],
    reports.map(({ default: fallback, description, from, name, value }) => [
      name,
      value || "none",
      from,
      fallback || "none",
      description
    ])
  )

const printFindings = (findings: ReadonlyArray<Finding>) => {
  const aboutWidth = widest(findings.map(({ about }) => about))
  const indent = " ".repeat(6 + aboutWidth + 2)
  return Console.log(
    findings.flatMap(({ about, advice, level, message }) => [
      `${padded(level, 6)}${padded(about, aboutWidth)}  ${visibleLine(message)}`,
      ...(advice === undefined ? [] : [`${indent}→ ${advice}`])
    ]).join("\n")
  )
}

const printReport = Effect.fnUntraced(function* ({ findings, settings, versions }: Effect.Success<typeof examine>) {
  yield* printSettings(settings)
  yield* Console.log(`\n${Object.entries(versions).map((entry) => entry.join(" ")).join(", ")}\n`)
  yield* printFindings(findings)
})

export const doctor = Command.make(
  "doctor",
  { json: jsonFlag },
  Effect.fnUntraced(function* ({ json }) {
    const report = yield* examine
    const faults = report.findings.filter(({ level }) => level === "FAIL").length
    yield* print(json, { isHealthy: faults === 0, ...report }, printReport)
    if (faults === 1) return yield* answerIsNo("there is 1 fault, see FAIL")
    if (faults > 1) return yield* answerIsNo(`there are ${faults} faults, see FAIL`)
  })
).pipe(
  Command.withDescription(
    "List all settings, and check banks, stores, servers, data folder, log, read models and clock"
  )
)
