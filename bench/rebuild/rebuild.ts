import { Effect } from "effect"
import { projections } from "../../projections/models/all.ts"
import { startRedisServer } from "../../test/support/redis-server.ts"
import { temporaryFolder } from "../../test/support/temporary-folder.ts"
import { checkedFinding, type Figure, formatNumber, infoFinding } from "../figure.ts"
import { fillAtOnce } from "../http/fill.ts"
import { verifyOne } from "../http/first-answer.ts"
import { startProgram } from "../measure/program.ts"
import { serviceOptions, startService } from "../measure/service.ts"
import { peakMegabytes } from "../measure/usage.ts"
import type { Task, TaskReport } from "./messages.ts"

/** Events per second into each engine, on two cores. */
const TARGET = { atLeast: 60_000 }

/** Builds all read models of a large log, while nothing else is done. */
export const rebuild: Figure = {
  name: "rebuild",
  about: "All read models of --events slips: from the log and from the copy of a projector, in each engine",
  run: Effect.fnUntraced(function* ({ events }) {
    const folder = yield* temporaryFolder
    yield* Effect.scoped(Effect.flatMap(startService({ dataDir: folder }), verifyOne))
    yield* fillAtOnce(folder, events)

    /** Runs a task in a process of its own, with the options of a service. */
    const run = Effect.fnUntraced(function* (task: Task["task"]) {
      const { url } = yield* startRedisServer()
      const script = new URL("./rebuild-process.ts", import.meta.url)
      const program = yield* startProgram({ script, args: [folder], ...serviceOptions })
      const { millis } = yield* program.request<TaskReport>({ task, url } satisfies Task)
      return { perSecond: events / millis * 1_000, peak: peakMegabytes(program.pid) }
    }, Effect.scoped)

    // First what does not use the disk: it may be busy for a while after the log was written.
    const [projected, built, restored] = [yield* run("project"), yield* run("build"), yield* run("restore")]
    const measured = (what: string, { peak }: typeof built) => ({
      what,
      measured: `${projections.length} models of ${events.toLocaleString("en-US")} slips, ${formatNumber(peak)} MB`
    })
    return [
      checkedFinding(measured("SQLite, from the log", built), built.perSecond, TARGET, "events/s"),
      checkedFinding(measured("Redis, from a projector's copy", restored), restored.perSecond, TARGET, "events/s"),
      infoFinding(measured("Redis, from the log", projected), projected.perSecond, "events/s")
    ]
  })
}
