import { Clock, Duration, Effect, Metric, Schedule } from "effect"
import { copyTreeHeads } from "./copy-tree-heads.ts"
import { signTreeHead } from "./sign-tree-head.ts"
import { treeHeadStream } from "./tree-head-event.ts"
import {
  beginning,
  formatPosition,
  isBefore,
  parsePosition,
  type Position,
  type RecordedEvent
} from "../../domain/events/recorded-event.ts"
import { EventStore } from "../../ports/event-store.ts"
import { Leases } from "../../ports/leases.ts"
import { Hashing } from "../../ports/notary.ts"
import { lastTreeHead } from "./tree-heads.ts"
import { fromHex } from "../../domain/hex.ts"
import { addLeaf, beginBlock, countOf, leafOf, noChain } from "../../domain/log-proof/chain.ts"
import type { TreeHead } from "../../domain/log-proof/tree-head.ts"
import { type Feed, pageSize } from "../../projections/engine/feed.ts"

export interface SigningOptions {
  /** A checkpoint is signed after so many events … */
  readonly events: number
  /** … or so long after the first of fewer. */
  readonly intervalMillis: number
}

/**
 * Signs checkpoints along the log, under a lease and for as long as it runs, and one more when it is told to stop.
 * Where nothing but checkpoints is new there is nothing to sign. Two that do this at once do no harm: each checkpoint
 * is appended behind the one before, and whoever comes second goes on from there.
 */
export const signTreeHeads = Effect.fnUntraced(function* (feed: Feed, options: SigningOptions) {
  const leases = yield* Leases
  yield* Metric.update(signed, 0)
  yield* leases.whileHolding("checkpoints", keep(feed, options))
})

const keep = (feed: Feed, options: SigningOptions) =>
  keepOnce(feed, options).pipe(
    Effect.tapErrorTag("EventStoreError", (error) =>
      Effect.logWarning("No checkpoint could be signed; it is tried again", error)),
    Effect.retry({
      schedule: backoff,
      while: ({ _tag }) =>
        _tag !== "TreeHeadUnreadable"
    }),
    // A chain that goes on from what can't be read would prove nothing.
    Effect.catch(({ message }) => Effect.logError(`Checkpoints are no longer signed: ${message}`))
  )

const keepOnce = (feed: Feed, options: SigningOptions) =>
  Effect.suspend(() => {
    let keeper: Keeper | undefined
    const run = Effect.gen(function* () {
      keeper = yield* resume(options)
      return yield* Effect.forever(follow(feed, keeper))
    })
    // What was to be answered was answered by then, and the log is still open.
    const finish = Effect.gen(function* () {
      yield* (keeper ?? (yield* resume(options))).finish
    }).pipe(Effect.interruptible, Effect.timeout(LAST_MILLIS), Effect.ignore)
    return Effect.onInterrupt(run, () => finish)
  })

type Keeper = Effect.Success<ReturnType<typeof resume>>

/** From the last checkpoint in the log, whichever process signed it. */
const resume = Effect.fnUntraced(function* ({ events: most, intervalMillis }: SigningOptions) {
  const store = yield* EventStore
  const sha256 = yield* Hashing
  let last = yield* lastTreeHead
  let at = positionAfter(last)
  let block = last === undefined ? beginBlock(0, noChain) : beginBlock(last.count, fromHex(last.chainHash))
  /** When what is new has to be signed, in milliseconds since 1970; undefined while nothing is. */
  let dueAt: number | undefined

  const sign = Effect.gen(function* () {
    last = yield* signTreeHead(block, at, last)
    yield* Metric.update(signed, 1)
    block = beginBlock(countOf(block), block.chain)
    dueAt = undefined
    yield* Effect.catchTag(copyTreeHeads, "TreeHeadFileError", ({ message }) => Effect.logError(message))
  }).pipe(Effect.uninterruptible)

  const take = Effect.fnUntraced(function* (page: ReadonlyArray<RecordedEvent>) {
    const now = yield* Clock.currentTimeMillis
    for (const event of page) {
      const position = formatPosition(event.position)
      block = addLeaf(sha256, block, leafOf(sha256, { ...event, position }))
      at = event.position
      if (event.stream !== treeHeadStream) dueAt ??= now + intervalMillis
      if (block.tree.size >= most && dueAt !== undefined) yield* sign
    }
    // Embedded engines work synchronously: without this, catching up would keep the process from all else.
    yield* Effect.yieldNow
    return page.length
  })

  yield* Effect.catchTag(copyTreeHeads, "TreeHeadFileError", ({ message }) => Effect.logError(message))
  return {
    at: () => at,
    take,
    /** How long there is until something has to be signed. */
    patience: Effect.map(
      Clock.currentTimeMillis,
      (now) => dueAt === undefined ? Duration.infinity : Duration.millis(Math.max(0, dueAt - now))
    ),
    signIfDue: Effect.flatMap(
      Clock.currentTimeMillis,
      (now) => dueAt !== undefined && dueAt <= now ? sign : Effect.void
    ),
    finish: Effect.gen(function* () {
      while ((yield* take(yield* store.readAll({ after: at, limit: pageSize }))) > 0);
      if (dueAt !== undefined) yield* sign
    })
  }
})

const positionAfter = (last: TreeHead | undefined): Position => parsePosition(last?.position ?? "") ?? beginning

const follow = Effect.fnUntraced(function* (feed: Feed, keeper: Keeper) {
  yield* Effect.timeoutOption(feed.moved(keeper.at()), yield* keeper.patience)
  // What comes together within a moment is taken at once.
  yield* Effect.sleep(LINGER_MILLIS)
  while (isBefore(keeper.at(), feed.head())) {
    // The end of the log was heard of and can't be read yet.
    if ((yield* keeper.take(yield* feed.after(keeper.at()))) === 0) yield* Effect.sleep(LINGER_MILLIS)
  }
  yield* keeper.signIfDue
})

const LINGER_MILLIS = 100

/** All of an end has to be over in ten seconds, and HTTP and the worker come before. What is left is signed after a start. */
const LAST_MILLIS = 300

const backoff = Schedule.min([Schedule.exponential("50 millis"), Schedule.spaced("5 seconds")]).pipe(Schedule.jittered)

const signed = Metric.counter("sliptrail_checkpoints_signed_total", {
  description: "Checkpoints of the log that this process signed",
  incremental: true
})
