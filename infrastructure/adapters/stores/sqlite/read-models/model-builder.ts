import { Effect, Layer, Option, Semaphore } from "effect"
import { randomUUID } from "node:crypto"
import { rmSync } from "node:fs"
import { availableParallelism } from "node:os"
import { dirname } from "node:path"
import { beginning, formatPosition, type Position } from "../../../../../domain/events/recorded-event.ts"
import { ModelBuilder, type ModelGroups, type OnBuilt } from "../../../../../ports/model-builder.ts"
import { ReadModelsError } from "../../../../../ports/read-models.ts"
import { scopedThread } from "../../../../platform/threads/ask-thread.ts"
import type { CollectedPart } from "./build-models.ts"
import type { BuildAnswer, BuildData, BuildRequest } from "./build-thread.ts"
import { EmbeddedReadModels } from "./engine.ts"

export interface ModelBuilderOptions {
  /** The file of the log. */
  readonly log: string
  /** The file of the read models. */
  readonly file: string
  /** A shorter log is projected batch by batch: to start a thread takes longer. */
  readonly leastEvents?: number
}

const LEAST_EVENTS = 50_000

/** Threads of one build, if there are as many processors. Each collects a part of the log, and builds some of the models. */
const MOST_THREADS = 2

/** Builds embedded read models from an embedded log, in threads that end with the build. */
export const layerModelBuilder = (
  { file, leastEvents = LEAST_EVENTS, log }: ModelBuilderOptions
): Layer.Layer<never, never, EmbeddedReadModels> =>
  Layer.effect(
    ModelBuilder,
    Effect.gen(function* () {
      const { duringBuild } = yield* EmbeddedReadModels
      return {
        isLongEnough: ({ commit }) => commit >= BigInt(leastEvents),
        build: Effect.fn("buildModels")(function* (groups: ModelGroups, { commit }: Position, onBuilt: OnBuilt) {
          // The temporary files of SQLite need the space of the read models; the folder for temporary files may be in memory.
          process.env["SQLITE_TMPDIR"] ??= dirname(file)
          yield* duringBuild(build({ log, file, models: groups.flat() }, { events: Number(commit), groups, onBuilt }))
        })
      }
    })
  )

/** An interruption ends the threads. Their shadow models stay incomplete, and are removed by the next build. */
const build = Effect.fnUntraced(
  function* (
    options: Pick<BuildData, "file" | "log" | "models">,
    { events, groups, onBuilt }: { readonly events: number; readonly groups: ModelGroups; readonly onBuilt: OnBuilt }
  ) {
    const count = Math.min(MOST_THREADS, availableParallelism())
    const id = randomUUID()
    const parts = Array.from({ length: count }, (_, part) => `${options.file}.part-${id}-${part}`)
    const removeParts = Effect.sync(() => {
      for (const part of parts) rmSync(part, { force: true })
    })
    // After the threads have ended: finalizers run in the opposite order.
    yield* Effect.addFinalizer(() => removeParts)
    const threads = yield* Effect.forEach(parts, (_, part) => startBuilder({ ...options, parts, part }))
    yield* Effect.forEach(threads, ({ ready }) => ready)
    // The threads have the files open. Without a name, the system deletes them with the process.
    if (process.platform !== "win32") yield* removeParts

    const collected = yield* Effect.forEach(threads, (thread, part) =>
      ask(thread, {
        _tag: "Collect",
        after: Math.floor(events * part / count),
        upTo: Math.floor(events * (part + 1) / count)
      }, isCollected), { concurrency: "unbounded" })
    const checkpoint = collected.findLast(({ upTo }) => upTo !== formatPosition(beginning))?.upTo
    if (checkpoint === undefined) return

    const waiting = groups
      .flatMap((models, group) => models.map((model) => ({ group, model })))
      .flatMap(({ group, model }) => {
        const parts = collected.flatMap(({ writes }) => writes.get(model) ?? [])
        // Its projection throws on an event of a part.
        if (parts.length < collected.length) return []
        const writes = parts.reduce((total, { count }) => total + count, 0)
        return [{ group, model, writes, hasRemovals: parts.some(({ hasRemovals }) => hasRemovals) }]
      })
      .sort((one, other) => other.group - one.group || one.writes - other.writes)
    const filling = yield* Semaphore.make(1)
    const buildModels = Effect.fnUntraced(function* (thread: Builder) {
      const sorted: Array<string> = []
      const fillOne = Effect.suspend(() => {
        const model = sorted.shift()
        if (model === undefined) return Effect.void
        return Effect.flatMap(
          ask(thread, { _tag: "Fill", model, checkpoint }, isDone),
          (isComplete) => isComplete ? onBuilt(model) : Effect.void
        )
      })
      while (true) {
        // One thread fills at a time. While the other one does, this one sorts.
        if (sorted.length > 0 && Option.isSome(yield* filling.withPermitsIfAvailable(1)(fillOne))) continue
        // The largest of a group first, so that the threads end together.
        const next = waiting.pop()
        if (next !== undefined) {
          const { hasRemovals, model } = next
          yield* ask(thread, { _tag: "Sort", model, hasRemovals }, isDone)
          sorted.push(model)
        } else if (sorted.length > 0) {
          yield* filling.withPermits(1)(fillOne)
        } else {
          return
        }
      }
    })
    yield* Effect.forEach(threads, buildModels, { concurrency: "unbounded" })
  },
  Effect.scoped
)

type Builder = Effect.Success<ReturnType<typeof startBuilder>>

const startBuilder = (data: BuildData) =>
  scopedThread<BuildRequest, BuildAnswer, ReadModelsError>({
    script: new URL("./build-thread.ts", import.meta.url),
    name: "build-models",
    data,
    // The thread holds a small page of events at a time.
    limits: { maxYoungGenerationSizeMb: 24, maxOldGenerationSizeMb: 256 }
  }, failed)

const ask = <A extends BuildAnswer>(
  thread: Builder,
  request: BuildRequest,
  isAnswer: (answer: BuildAnswer) => answer is A
): Effect.Effect<A, ReadModelsError> =>
  Effect.flatMap(
    thread.ask(request),
    (answer) =>
      isAnswer(answer) ? Effect.succeed(answer) : Effect.die(new Error("the thread gave the answer of another request"))
  )

const isDone = (answer: BuildAnswer): answer is boolean => typeof answer === "boolean"
const isCollected = (answer: BuildAnswer): answer is CollectedPart => typeof answer !== "boolean"

const failed = (cause: unknown) => new ReadModelsError({ operation: "build", reason: "unavailable", cause })
