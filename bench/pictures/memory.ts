import { Effect } from "effect"
import { temporaryFolder } from "../../test/support/temporary-folder.ts"
import { BenchError, checkedFinding, type Figure } from "../figure.ts"
import { type RunningService, startService } from "../measure/service.ts"
import { startProgram } from "../measure/program.ts"
import { peakMegabytes, resetPeak, residentMegabytes } from "../measure/usage.ts"
import { type LargePicture, largestPictures } from "./largest.ts"

const MAX_IDLE = 230
const MAX_RAISE = 150

/** After SETTLED the memory of an idle service is stable. After WORKERS_GONE it has ended its idle workers. */
const SETTLED = "3 seconds"
const WORKERS_GONE = "40 seconds"

/** Measures the memory of the idle process, and how much the largest pictures add. */
export const memory: Figure = {
  name: "memory",
  about: "Memory of the serving process (resident set)",
  run: Effect.fnUntraced(function* () {
    const bare = yield* startProgram({ script: new URL("../measure/idle-process.ts", import.meta.url) })
    const pictures = yield* attempt(largestPictures)
    const { first, last } = yield* Effect.scoped(readAll(pictures))
    const raised = yield* Effect.forEach(pictures, (picture) => Effect.scoped(readOne(picture)))

    const empty = yield* readMemory(() => residentMegabytes(bare.pid))
    const baseline = `${empty.toFixed(0)} MB of an idle node:http server`
    const idle = (what: string, megabytes: number) =>
      checkedFinding({ what, measured: `${(megabytes / empty).toFixed(1)} times the baseline`, baseline }, megabytes, {
        atMost: MAX_IDLE
      }, "MB")
    return [
      idle("idle after start", first),
      idle("idle after the largest picture of every format", last),
      ...raised.map(({ answer, megabytes, what }) =>
        checkedFinding({ what, measured: answer, baseline: "idle after start" }, megabytes, {
          atMost: MAX_RAISE
        }, "MB")
      )
    ]
  })
}

const startSettled = Effect.gen(function* () {
  const service = yield* startService({ dataDir: yield* temporaryFolder })
  yield* Effect.sleep(SETTLED)
  return { service, idle: yield* readMemory(() => residentMegabytes(service.pid)) }
})

/** Reads all pictures with one service. Returns its memory before the first and some time after the last picture. */
const readAll = Effect.fnUntraced(function* (pictures: ReadonlyArray<LargePicture>) {
  const { idle: first, service } = yield* startSettled
  yield* Effect.forEach(pictures, (picture) => decode(service, picture), { discard: true })
  yield* Effect.sleep(WORKERS_GONE)
  return { first, last: yield* readMemory(() => residentMegabytes(service.pid)) }
})

/** Reads one picture with a new service. Returns how far the memory peak is above the idle memory. */
const readOne = Effect.fnUntraced(function* (picture: LargePicture) {
  const { idle, service } = yield* startSettled
  yield* readMemory(() => resetPeak(service.pid))
  const answer = yield* decode(service, picture)
  return { what: picture.what, answer, megabytes: (yield* readMemory(() => peakMegabytes(service.pid))) - idle }
})

const decode = Effect.fnUntraced(function* (service: RunningService, { bytes }: LargePicture) {
  const started = performance.now()
  const outcome = yield* attempt(async () => {
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
  return `${(bytes.length / 1e6).toFixed(1)} MB file, ${outcome} in ${seconds.toFixed(1)} s`
})

const readMemory = <A>(read: () => A): Effect.Effect<A, BenchError> =>
  Effect.try({
    try: read,
    catch: (cause) => new BenchError({ message: `memory is measured on Linux only: ${String(cause)}` })
  })

const attempt = <A>(run: () => Promise<A>): Effect.Effect<A, BenchError> =>
  Effect.tryPromise({ try: run, catch: (cause) => new BenchError({ message: String(cause) }) })
