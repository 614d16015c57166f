import { Effect } from "effect"
import { temporaryFolder } from "../../support/temporary-folder.ts"
import { BenchError, type Figure, judged } from "../figure.ts"
import { type RunningService, startService } from "../measure/service.ts"
import { startProgram } from "../measure/program.ts"
import { forgetPeak, peakMegabytes, residentMegabytes } from "../measure/usage.ts"
import { type LargePicture, largestPictures } from "./largest.ts"

const MOST_IDLE = 200
const MOST_RAISE = 150

/** A while after the service has come to rest; and one after which it has ended the workers that it does not need. */
const SETTLED = "3 seconds"
const WORKERS_GONE = "40 seconds"

/** Memory of the serving process at rest, and what the largest pictures do to it. */
export const memory: Figure = {
  name: "memory",
  about: "Memory of the serving process (resident set)",
  run: Effect.fnUntraced(function* () {
    const bare = yield* startProgram({ script: new URL("../measure/idle-process.ts", import.meta.url) })
    const pictures = yield* attempt(largestPictures)
    const { first, rested } = yield* Effect.scoped(allInOne(pictures))
    const raised = yield* Effect.forEach(pictures, (picture) => Effect.scoped(alone(picture)))

    const empty = yield* look(() => residentMegabytes(bare.pid))
    const baseline = `${empty.toFixed(0)} MB of an idle node:http server`
    const idle = (what: string, megabytes: number) =>
      judged({ what, measured: `${(megabytes / empty).toFixed(1)} times as much`, baseline }, megabytes, {
        atMost: MOST_IDLE
      }, "MB")
    return [
      idle("idle after start", first),
      idle("idle after all these pictures", rested),
      ...raised.map(({ answer, megabytes, what }) =>
        judged({ what, measured: answer, baseline: "idle after start" }, megabytes, {
          atMost: MOST_RAISE
        }, "MB")
      )
    ]
  })
}

const startSettled = Effect.gen(function* () {
  const service = yield* startService({ dataDir: yield* temporaryFolder })
  yield* Effect.sleep(SETTLED)
  return { service, idle: yield* look(() => residentMegabytes(service.pid)) }
})

/** One service that reads all pictures, and what it holds before the first and some time after the last. */
const allInOne = Effect.fnUntraced(function* (pictures: ReadonlyArray<LargePicture>) {
  const { idle: first, service } = yield* startSettled
  yield* Effect.forEach(pictures, (picture) => decode(service, picture), { discard: true })
  yield* Effect.sleep(WORKERS_GONE)
  return { first, rested: yield* look(() => residentMegabytes(service.pid)) }
})

/** How much a picture raises a service that has just started: its peak above what it held before. */
const alone = Effect.fnUntraced(function* (picture: LargePicture) {
  const { idle, service } = yield* startSettled
  yield* look(() => forgetPeak(service.pid))
  const answer = yield* decode(service, picture)
  return { what: picture.what, answer, megabytes: (yield* look(() => peakMegabytes(service.pid))) - idle }
})

const decode = Effect.fnUntraced(function* (service: RunningService, { bytes }: LargePicture) {
  const started = performance.now()
  const said = yield* attempt(async () => {
    const form = new FormData()
    form.set("image", new Blob([Uint8Array.from(bytes)]))
    const response = await fetch(`http://127.0.0.1:${service.port}/v2/decode`, {
      method: "POST",
      headers: { authorization: `Bearer ${service.apiKey}` },
      body: form
    })
    return `${response.status} ${/"code":"(\w+)"/u.exec(await response.text())?.[1] ?? ""}`
  })
  const seconds = (performance.now() - started) / 1_000
  return `${(bytes.length / 1e6).toFixed(1)} MB file, ${said} in ${seconds.toFixed(1)} s`
})

const look = <A>(read: () => A): Effect.Effect<A, BenchError> =>
  Effect.try({
    try: read,
    catch: (cause) => new BenchError({ message: `memory is measured on Linux only: ${String(cause)}` })
  })

const attempt = <A>(run: () => Promise<A>): Effect.Effect<A, BenchError> =>
  Effect.tryPromise({ try: run, catch: (cause) => new BenchError({ message: String(cause) }) })
