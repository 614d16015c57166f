import { Effect } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { temporaryFolder } from "../../test/support/temporary-folder.ts"
import { BenchError, checkedFinding, type Figure, infoFinding } from "../figure.ts"
import { median } from "../measure/statistics.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** A small tool: its time is that of npx and Node. */
const OTHER_TOOL = ["semver", "1.0.0"]

/** A project that has installed SlipTrail and the other tool. */
const installedProject = Effect.map(temporaryFolder, (folder) => {
  const bin = join(folder, "node_modules/.bin")
  mkdirSync(bin, { recursive: true })
  writeFileSync(join(folder, "package.json"), "{}")
  symlinkSync(join(root, "infrastructure/cli/sliptrail.mjs"), join(bin, "sliptrail"))
  symlinkSync(join(root, "node_modules/.bin/semver"), join(bin, "semver"))
  symlinkSync(process.execPath, join(bin, "node"))
  return folder
})

/** Milliseconds that a command takes through npx. */
const timeOf = (cwd: string, command: ReadonlyArray<string>) =>
  Effect.tryPromise({
    try: async () => {
      const started = performance.now()
      const child = spawn("npx", ["--no-install", ...command], { cwd, stdio: "ignore" })
      const [code] = await once(child, "close")
      if (code !== 0) throw new Error(`npx ${command.join(" ")} ended with ${code}`)
      return performance.now() - started
    },
    catch: (cause) => new BenchError({ message: cause instanceof Error ? cause.message : String(cause) })
  })

/** Measures how long people and scripts wait for a command. */
export const start: Figure = {
  name: "start",
  about: "The start of a command through npx, compared with another tool through npx",
  run: Effect.fnUntraced(function* ({ rounds }) {
    const project = yield* installedProject
    const laps = {
      version: new Array<number>(),
      help: new Array<number>(),
      checkout: new Array<number>(),
      other: new Array<number>()
    }
    for (let round = 0; round <= rounds; round++) {
      const lap = {
        version: yield* timeOf(project, ["sliptrail", "--version"]),
        help: yield* timeOf(project, ["sliptrail", "trail", "show", "--help"]),
        checkout: yield* timeOf(root, ["sliptrail", "--version"]),
        other: yield* timeOf(project, OTHER_TOOL)
      }
      // The first round fills the caches of npx and of Node.
      if (round === 0) continue
      laps.version.push(lap.version)
      laps.help.push(lap.help)
      laps.checkout.push(lap.checkout)
      laps.other.push(lap.other)
    }
    const other = median(laps.other)
    const more = (what: string, times: ReadonlyArray<number>) => ({
      millis: median(times) - other,
      measured: {
        what: `${what}, more than the other tool`,
        measured: `${Math.round(median(times))} ms`,
        baseline: `${Math.round(other)} ms for ${OTHER_TOOL.join(" ")}`
      }
    })
    const version = more("sliptrail --version", laps.version)
    const help = more("sliptrail trail show --help", laps.help)
    const checkout = more("sliptrail --version in a checkout, which npx links first", laps.checkout)
    return [
      checkedFinding(version.measured, version.millis, { atMost: 150 }, "ms"),
      infoFinding(help.measured, help.millis, "ms"),
      infoFinding(checkout.measured, checkout.millis, "ms")
    ]
  }, Effect.scoped)
}
