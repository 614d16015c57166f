import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import type { Finding } from "../doctor/finding.ts"
import type { SettingReport } from "../doctor/settings.ts"
import { visibleLine } from "../../platform/visible-text.ts"
import { painted, type Tone } from "./colors.ts"
import { answerIsNo } from "./exit.ts"
import { jsonFlag } from "./flags.ts"
import { atTarget } from "./operation.ts"
import { type Columns, padded, print, printRows, widest } from "./output.ts"
import { targetUrl } from "./target.ts"

interface Report {
  /** Empty for a service that is examined over HTTP. */
  readonly settings: ReadonlyArray<SettingReport>
  readonly versions: Readonly<Record<string, string>>
  readonly findings: ReadonlyArray<Finding>
}

const settingColumns: Columns<SettingReport> = {
  setting: "name",
  value: ({ value }) => value || "none",
  from: "from",
  default: (setting) => setting.default || "none",
  description: "description"
}

/** The order of the report: what needs an action comes last, where a terminal shows it. */
const levels = ["ok", "warn", "FAIL"] as const satisfies ReadonlyArray<Finding["level"]>

const tones: Readonly<Record<Finding["level"], Tone>> = { FAIL: "bad", warn: "caution", ok: "good" }

const sorted = (findings: ReadonlyArray<Finding>): ReadonlyArray<Finding> =>
  levels.flatMap((level) => findings.filter((finding) => finding.level === level))

const printFindings = (findings: ReadonlyArray<Finding>) => {
  const aboutWidth = widest(findings.map(({ about }) => about))
  const indent = " ".repeat(6 + aboutWidth + 2)
  return Console.log(
    findings.flatMap(({ about, advice, level, message }) => [
      `${painted(tones[level], level)}${" ".repeat(6 - level.length)}${padded(about, aboutWidth)}  ${
        visibleLine(message)
      }`,
      ...(advice === undefined ? [] : [`${indent}→ ${visibleLine(advice)}`])
    ]).join("\n")
  )
}

const printReport = Effect.fnUntraced(function* ({ findings, settings, versions }: Report) {
  if (settings.length > 0) {
    yield* printRows(settingColumns, settings)
    yield* Console.log("")
  }
  yield* Console.log(`${Object.entries(versions).map(([name, value]) => visibleLine(`${name} ${value}`)).join(", ")}\n`)
  yield* printFindings(findings)
})

/** Each way loads its own checks: those of this machine need the stores and the gateways. */
const examine = atTarget(
  Effect.fnUntraced(function* ({ call }) {
    const { examineService } = yield* Effect.promise(() => import("./doctor-remote.ts"))
    return yield* examineService((yield* targetUrl) ?? "", call)
  }),
  Effect.gen(function* () {
    const { examineHere } = yield* Effect.promise(() => import("./doctor-local.ts"))
    return yield* examineHere
  })
)

export const doctor = Command.make(
  "doctor",
  { json: jsonFlag },
  Effect.fnUntraced(function* ({ json }) {
    const found = yield* examine
    const report: Report = { ...found, findings: sorted(found.findings) }
    const faults = report.findings.filter(({ level }) => level === "FAIL").length
    yield* print(json, { isHealthy: faults === 0, ...report }, printReport)
    if (faults === 1) return yield* answerIsNo("there is 1 fault, see FAIL")
    if (faults > 1) return yield* answerIsNo(`there are ${faults} faults, see FAIL`)
  })
).pipe(
  Command.withDescription(
    "List all settings, and check banks, stores, servers, data folder, log, read models and clock, problems last"
  )
)
