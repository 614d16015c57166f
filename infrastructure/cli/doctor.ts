import { Clock, Console, Effect } from "effect"
import { Command } from "effect/cli"
import { layerEventStoreEmbeddedReadOnly } from "../eventstore/embedded/layer.ts"
import { eventsFile } from "../runtime/data-folder.ts"
import { readSettings, settings } from "../settings.ts"
import { judgeFolder } from "./doctor/data-folder.ts"
import { judgeClock, judgeDurability, judgeKey, judgeTime } from "./doctor/event-log.ts"
import { judgeExposure } from "./doctor/exposure.ts"
import { fail, type Finding } from "./doctor/finding.ts"
import { judgeReadModels } from "./doctor/read-models.ts"
import { judgeSettings, reportSettings, type SettingReport } from "./doctor/settings.ts"
import { judgeVersions, versions } from "./doctor/versions.ts"
import { answerIsNo } from "./exit.ts"
import { jsonFlag } from "./flags.ts"
import { padded, print, printTable, widest } from "./output.ts"

/** What stands in the log and what is built from it. */
const judgeLog = Effect.fnUntraced(function*(folder: string, held: boolean) {
  const durability = judgeDurability(folder)
  if (durability.level === "FAIL") return [durability]
  const masterKey = yield* Effect.orElseSucceed(settings.masterKey.config, () => undefined)
  return yield* Effect.gen(function*() {
    const findings: ReadonlyArray<Finding> = [
      durability,
      ...(yield* judgeKey(folder, masterKey)),
      ...(yield* judgeReadModels(folder, held)),
      yield* judgeTime
    ]
    return findings
  }).pipe(
    Effect.provide(layerEventStoreEmbeddedReadOnly({ file: eventsFile(folder) })),
    Effect.catchTag("EventStoreError", ({ cause, operation }) =>
      Effect.succeed([
        fail("event log", `cannot be read (${operation}): ${String(cause)}`, "put it back from the backup")
      ]))
  )
})

const examine = Effect.gen(function*() {
  const folder = yield* settings.dataDir.config
  const readable = yield* Effect.option(readSettings)
  const slipReader = readable._tag === "Some" ? readable.value.slipReader : "native"
  const keySetting = yield* Effect.orElseSucceed(settings.masterKey.config, () => undefined)
  const { findings: ofFolder, hasLog, held } = yield* judgeFolder(folder, keySetting !== undefined)
  const findings: ReadonlyArray<Finding> = [
    ...(yield* judgeSettings),
    ...(readable._tag === "Some" ? yield* judgeExposure(readable.value) : []),
    ...(yield* judgeVersions({ slipReader })),
    ...ofFolder,
    ...(hasLog ? yield* judgeLog(folder, held) : [judgeClock(yield* Clock.currentTimeMillis, undefined)])
  ]
  return { settings: reportSettings(), versions: versions(), findings }
})

const printSettings = (reports: ReadonlyArray<SettingReport>) =>
  printTable(
    ["setting", "value", "from", "default", "what it is"],
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
      `${padded(level, 6)}${padded(about, aboutWidth)}  ${message}`,
      ...(advice === undefined ? [] : [`${indent}→ ${advice}`])
    ]).join("\n")
  )
}

const printReport = Effect.fnUntraced(function*({ findings, settings, versions }: Effect.Success<typeof examine>) {
  yield* printSettings(settings)
  yield* Console.log(`\n${Object.entries(versions).map((entry) => entry.join(" ")).join(", ")}\n`)
  yield* printFindings(findings)
})

export const doctor = Command.make("doctor", { json: jsonFlag }, Effect.fnUntraced(function*({ json }) {
  const report = yield* examine
  const faults = report.findings.filter(({ level }) => level === "FAIL").length
  yield* print(json, { isHealthy: faults === 0, ...report }, printReport)
  if (faults === 1) return yield* answerIsNo("there is a fault, see FAIL")
  if (faults > 1) return yield* answerIsNo(`there are ${faults} faults, see FAIL`)
})).pipe(
  Command.withDescription("List all settings, and examine engines, data folder, log, read models and clock")
)
