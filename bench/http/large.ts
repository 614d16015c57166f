import { Effect } from "effect"
import { existsSync, statSync } from "node:fs"
import { join } from "node:path"
import { temporaryFolder } from "../../test/support/temporary-folder.ts"
import { checkedFinding, type Figure, formatNumber, infoFinding } from "../figure.ts"
import { peakMegabytes, residentMegabytes, wholeProcessorTime } from "../measure/usage.ts"
import { startService, untilProjected } from "../measure/service.ts"
import { verifyOne } from "./first-answer.ts"
import { fillAtOnce } from "./fill.ts"
import { type Laps, makeLoad, ratioOf, summary } from "./laps.ts"

/** The most verifications in a lap. The empty log must stay small compared with the filled one. */
const MAX_REQUESTS = 2_000

const BUILD_SECONDS = 3_600

/** Most seconds until a started service has no work left. */
const MOST_IDLE_SECONDS = 600

/** Waits until a process uses less than a twentieth of a processor for three seconds. Returns the seconds until then. */
const untilIdle = Effect.fnUntraced(function* (pid: number) {
  const started = performance.now()
  const secondsSince = () => (performance.now() - started) / 1_000
  for (let quiet = 0; quiet < 3 && secondsSince() < MOST_IDLE_SECONDS;) {
    const before = wholeProcessorTime(pid)
    yield* Effect.sleep("1 second")
    quiet = wholeProcessorTime(pid) - before < 50_000 ? quiet + 1 : 0
  }
  return secondsSince()
})

/** Events that a model may lack when it counts as built: the service appends some itself. */
const MOST_LAG = 1_000

/** Starts a service on a large log with current read models, and compares a verification with one on an empty log. */
export const large: Figure = {
  name: "large",
  about: "A log of --events slips: building the read models, starting, verifying, memory and disk",
  run: Effect.fnUntraced(function* (options) {
    const { events } = options
    const full = yield* temporaryFolder
    const apiKey = yield* Effect.scoped(Effect.gen(function* () {
      const service = yield* startService({ dataDir: full })
      yield* verifyOne(service)
      return service.apiKey
    }))
    yield* fillAtOnce(full, events)

    const buildStarted = performance.now()
    const built = yield* Effect.scoped(Effect.gen(function* () {
      const { pid, port } = yield* startService({ dataDir: full, apiKey, readySeconds: BUILD_SECONDS })
      const readySeconds = (performance.now() - buildStarted) / 1_000
      // A service is ready before: requests wait for some of the models only.
      yield* untilProjected(port, { lag: MOST_LAG, seconds: BUILD_SECONDS })
      return {
        readySeconds,
        seconds: (performance.now() - buildStarted) / 1_000,
        micros: wholeProcessorTime(pid) / events,
        peak: peakMegabytes(pid)
      }
    }))

    const started = performance.now()
    const filled = yield* startService({ dataDir: full, apiKey })
    const readyMillis = performance.now() - started
    const atStart = residentMegabytes(filled.pid)
    const emptyStarted = performance.now()
    const empty = yield* startService({ dataDir: yield* temporaryFolder })
    const emptyMillis = performance.now() - emptyStarted
    const load = yield* makeLoad
    const compare = load.compare(filled, empty, { ...options, requests: Math.min(options.requests, MAX_REQUESTS) })
    const lapsAtStart = yield* compare
    const idleSeconds = yield* untilIdle(filled.pid)
    const laps = yield* compare
    const bytesOf = (name: string) => {
      const file = join(full, name)
      return existsSync(file) ? statSync(file).size / events : 0
    }
    const timeOf = ({ a, b }: Laps) => ratioOf(a.map((lap) => lap.millis), b.map((lap) => lap.millis))
    const slips = `${events.toLocaleString("en-US")} slips`
    return [
      infoFinding(
        {
          what: `start without read models, ${slips}`,
          measured: `ready after ${formatNumber(built.readySeconds)} s, all built after ${
            formatNumber(built.seconds)
          } s, ${formatNumber(built.micros)} µs for an event`
        },
        events / built.seconds,
        "events/s"
      ),
      infoFinding({ what: "largest memory of that", measured: "resident set" }, built.peak, "MB"),
      checkedFinding(
        {
          what: "ready after the start, with current read models",
          measured: `${Math.round(readyMillis)} ms`,
          baseline: `${Math.round(emptyMillis)} ms on an empty log`
        },
        readyMillis,
        { atMost: 2_000 },
        "ms"
      ),
      infoFinding(
        { what: "idle after these laps", measured: "names of streams read" },
        idleSeconds,
        "s"
      ),
      checkedFinding(
        { what: `time per verification, ${slips}`, measured: summary(laps.a), baseline: summary(laps.b) },
        timeOf(laps),
        { atMost: 1.1 }
      ),
      infoFinding(
        {
          what: "the same, in the first minute after the start",
          measured: summary(lapsAtStart.a),
          baseline: summary(lapsAtStart.b)
        },
        timeOf(lapsAtStart)
      ),
      infoFinding(
        {
          what: "memory after the start, and the largest since",
          measured: `${formatNumber(atStart)} MB`,
          baseline: `${formatNumber(peakMegabytes(empty.pid))} MB on an empty log`
        },
        peakMegabytes(filled.pid),
        "MB"
      ),
      infoFinding(
        {
          what: "disk for each verification",
          measured: `${formatNumber(bytesOf("events.db"))} bytes of log`
        },
        bytesOf("models.db"),
        "bytes of read models"
      )
    ]
  })
}
