import { Context, Data, Duration, Effect, Layer, RcMap, RcRef, Semaphore } from "effect"
import { askThread } from "../../../platform/threads/ask-thread.ts"
import { startThread, type Thread } from "../../../platform/threads/start-thread.ts"
import type { BodyAnswer } from "./body-thread.ts"
import type { Rate } from "../../../../ports/token-bucket.ts"
import { type BodyBudget, makeBodyBudget } from "./body-budget.ts"
import { isFields } from "../../input/is-fields.ts"
import { type BodyTask, decodeBody, type DecodedBody } from "./decode-body.ts"
import { InlinePicture } from "./picture-text.ts"
import { type DiscardAllowance, LARGE_BODY_BYTES, makeDiscardAllowance } from "./receive-body.ts"

/** The thread could not decode a body: it ran out of memory, or could not start. */
export class BodyThreadFailed extends Data.TaggedError("BodyThreadFailed")<{ readonly cause: Error }> {}

export interface RequestBodiesOptions {
  /** Bytes of large bodies in memory, for all branches. */
  readonly totalBytes: number
  /** The same for one branch. */
  readonly bytesPerBranch: number
  /** How long a large body waits until the branch's other bodies leave room for it. */
  readonly maxWait: Duration.Duration
  /** How long a body may bring no byte. */
  readonly idleTimeout: Duration.Duration
}

/** Receives and decodes the bodies of requests, so that one branch cannot use all memory or the main thread. */
export interface RequestBodiesService {
  readonly budget: BodyBudget
  readonly maxWaitMillis: number
  readonly idleMillis: number
  /** For the unread bodies of refused requests. */
  readonly discardAllowance: DiscardAllowance
  /** Decodes the body of an owner. One body is decoded at a time; owners take turns. */
  readonly decode: (owner: string, task: BodyTask) => Effect.Effect<DecodedBody, BodyThreadFailed>
}

const decodeHere = (task: BodyTask): Effect.Effect<DecodedBody> => Effect.sync(() => decodeBody(task))

/** Without `layerRequestBodies` there is no limit, and bodies are decoded where they arrive. */
export const RequestBodies = Context.Reference<RequestBodiesService>("sliptrail/http/RequestBodies", {
  defaultValue: () => ({
    budget: makeBodyBudget({ total: Infinity, perOwner: Infinity }),
    maxWaitMillis: 60_000,
    idleMillis: 60_000,
    discardAllowance: () => true,
    decode: (_, task) => decodeHere(task)
  })
})

type BodyThread = Thread<undefined, BodyTask, BodyAnswer>

/**
 * Bytes of refused requests that are read on. To read them takes time of every branch; without them, a few clients see a
 * broken connection instead of the refusal.
 */
const DISCARDED: Rate = { perSecond: 8 * 1024 * 1024, burst: 64 * 1024 * 1024 }

/** How long the thread waits for the next large body before it ends. */
const IDLE = Duration.seconds(30)

/** The memory of the thread: the largest body as text with two bytes for each character, its values and its digest. */
const MAX_HEAP_MB = 768

const start = (): BodyThread => {
  return startThread({
    script: new URL("./body-thread.ts", import.meta.url),
    name: "bodies",
    data: undefined,
    limits: { maxOldGenerationSizeMb: MAX_HEAP_MB, maxYoungGenerationSizeMb: 8 }
  })
}

const acquireThread = Effect.acquireRelease(
  Effect.try({ try: start, catch: (cause) => new BodyThreadFailed({ cause: new Error(String(cause)) }) }),
  (thread) => Effect.promise(() => thread.close())
)

/** Sends a body to the thread. The bytes move to it. */
const ask = (thread: BodyThread, task: BodyTask) =>
  Effect.mapError(
    askThread(thread, task, { transfer: [task.bytes.buffer] }),
    (cause) => new BodyThreadFailed({ cause })
  )

/** Puts the pictures back to their places. */
const withPictures = ({ decoded, pictures }: BodyAnswer): DecodedBody => {
  if ("fault" in decoded || pictures.length === 0) return decoded
  const fields: Record<string, unknown> = { ...decoded.fields }
  const { slips } = fields
  for (const { bytes, field, slip } of pictures) {
    const target = slip === undefined ? fields : Array.isArray(slips) ? slips[slip] : undefined
    if (isFields(target)) Object.assign(target, { [field]: new InlinePicture(bytes) })
  }
  return { ...decoded, fields }
}

/** Bodies with budgets, and a thread that is started with the first large body. */
export const layerRequestBodies = ({ bytesPerBranch, idleTimeout, maxWait, totalBytes }: RequestBodiesOptions) =>
  Layer.effect(
    RequestBodies,
    Effect.gen(function* () {
      const thread = yield* RcRef.make({ acquire: acquireThread, idleTimeToLive: IDLE })
      const turn = Semaphore.makeUnsafe(1)
      // An owner waits for the thread with one body only, so owners take turns.
      const owners = yield* RcMap.make({ lookup: (_owner: string) => Semaphore.make(1) })

      const decodeInThread = Effect.fnUntraced(
        function* (task: BodyTask) {
          const running = yield* RcRef.get(thread)
          return yield* Effect.tapError(ask(running, task), () => RcRef.invalidate(thread))
          // The thread works on also when the caller disconnects, so the next body waits.
        },
        Effect.scoped,
        Effect.uninterruptible
      )

      const decodeInTurn = Effect.fnUntraced(function* (owner: string, task: BodyTask) {
        const ownTurn = yield* RcMap.get(owners, owner)
        return withPictures(yield* ownTurn.withPermit(turn.withPermit(decodeInThread(task))))
      }, Effect.scoped)

      return {
        budget: makeBodyBudget({ total: totalBytes, perOwner: bytesPerBranch }),
        maxWaitMillis: Duration.toMillis(maxWait),
        idleMillis: Duration.toMillis(idleTimeout),
        discardAllowance: makeDiscardAllowance(DISCARDED, () => performance.now()),
        decode: (owner, task) => task.bytes.length <= LARGE_BODY_BYTES ? decodeHere(task) : decodeInTurn(owner, task)
      }
    })
  )
