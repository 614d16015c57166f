import { Clock, Duration, Effect, Metric, Schedule } from "effect"
import { formatPosition, isBefore, type RecordedEvent } from "../../domain/events/recorded-event.ts"
import { closeBlock, countOf, signedText, type TreeHead, treeHeadLine } from "../../domain/log-proof/tree-head.ts"
import { isoTime } from "../../domain/time.ts"
import { EventStore } from "../../ports/event-store.ts"
import { Identifiers } from "../../ports/identifiers.ts"
import { LogFollower } from "../../ports/log-follower.ts"
import { Leases } from "../../ports/leases.ts"
import { Hashing, Notary, TreeHeadFile, TreeHeadFileError } from "../../ports/notary.ts"
import { type Feed, pageSize } from "../../projections/engine/feed.ts"
import { lastTreeHead, treeHeadByNumber } from "./find-tree-head.ts"
import { treeHeadEvent, treeHeadOf } from "./tree-head-chain.ts"
import { addEvents, isFull, type Pending, pendingAfter, treeHeadStream } from "../../domain/log-proof/pending-block.ts"

/** A tree head is signed after `events` events, or `intervalMillis` after the first uncovered event. */
export interface SigningOptions {
  readonly events: number
  readonly intervalMillis: number
}

/**
 * Signs tree heads along the log while it holds the lease, and a last one when it is interrupted. Signs nothing while
 * all new events are tree heads. Two processes may sign at the same time: the second append conflicts, and that process
 * resumes after the new tree head.
 */
export const signTreeHeads = Effect.fnUntraced(function* (feed: Feed, options: SigningOptions) {
  const leases = yield* Leases
  yield* Metric.update(signed, 0)
  yield* leases.whileHolding("checkpoints", signWithRetry(feed, options))
})

const signWithRetry = (feed: Feed, options: SigningOptions) =>
  signUntilInterrupted(feed, options).pipe(
    Effect.tapErrorTag("EventStoreError", (error) =>
      Effect.logWarning("No tree head could be signed; the next attempt follows", error)),
    Effect.retry({
      schedule: retrySchedule,
      while: ({ _tag }) =>
        _tag !== "TreeHeadUnreadable"
    }),
    // A chain that continues after an unreadable tree head would prove nothing.
    Effect.catch(({ message }) => Effect.logError(`Tree heads are no longer signed: ${message}`))
  )

const signUntilInterrupted = (feed: Feed, options: SigningOptions) =>
  Effect.suspend(() => {
    let signer: Signer | undefined
    const run = Effect.gen(function* () {
      signer = yield* makeSigner(options)
      return yield* Effect.forever(follow(feed, signer))
    })
    // The interruption comes after the last response and before the log is closed.
    const finish = Effect.gen(function* () {
      yield* (signer ?? (yield* makeSigner(options))).finish
    }).pipe(Effect.interruptible, Effect.timeout(FINISH_MILLIS), Effect.ignore)
    return Effect.onInterrupt(run, () => finish)
  })

type Signer = Effect.Success<ReturnType<typeof makeSigner>>

/** Makes a signer that resumes after the newest tree head of the log, from any process. */
const makeSigner = Effect.fnUntraced(function* ({ events, intervalMillis }: SigningOptions) {
  const store = yield* EventStore
  const sha256 = yield* Hashing
  const follower = yield* LogFollower
  let pending = pendingAfter(yield* lastTreeHead)

  const copy = Effect.catchTag(copyTreeHeads, "TreeHeadFileError", ({ message }) => Effect.logError(message))

  const sign = Effect.gen(function* () {
    pending = pendingAfter(yield* signTreeHead(pending))
    yield* Metric.update(signed, 1)
    yield* copy
  }).pipe(Effect.uninterruptible)

  const dueFromNow = Effect.map(Clock.currentTimeMillis, (now) => ({ events, dueAt: now + intervalMillis }))

  /** Adds events, and signs each block that they fill. */
  const add = Effect.fnUntraced(function* (page: ReadonlyArray<RecordedEvent>) {
    const due = yield* dueFromNow
    for (let rest = page; rest.length > 0;) {
      const before = countOf(pending.block)
      pending = addEvents(sha256, pending, rest, due)
      rest = rest.slice(countOf(pending.block) - before)
      if (isFull(pending, events)) yield* sign
    }
    // Embedded engines work synchronously: without this, catching up would block the process.
    yield* Effect.yieldNow
  })

  /** Adds events that are read and hashed in a thread. False when they must be read here. */
  const addInThread = Effect.fnUntraced(function* () {
    if (follower === undefined || !follower.isReady()) return false
    const extended = yield* Effect.option(follower.extend(pending, yield* dueFromNow))
    if (extended._tag === "None" || !isBefore(pending.end, extended.value.end)) return false
    pending = extended.value
    if (isFull(pending, events)) yield* sign
    return true
  })

  yield* copy
  return {
    end: () => pending.end,
    add,
    addInThread,
    untilDue: Effect.map(
      Clock.currentTimeMillis,
      (now) => pending.dueAt === undefined ? Duration.infinity : Duration.millis(Math.max(0, pending.dueAt - now))
    ),
    signIfDue: Effect.flatMap(
      Clock.currentTimeMillis,
      (now) => pending.dueAt !== undefined && pending.dueAt <= now ? sign : Effect.void
    ),
    finish: Effect.gen(function* () {
      while (true) {
        const page = yield* store.readAll({ after: pending.end, limit: pageSize })
        if (page.length === 0) break
        yield* add(page)
      }
      if (pending.dueAt !== undefined) yield* sign
    })
  }
})

const follow = Effect.fnUntraced(function* (feed: Feed, signer: Signer) {
  yield* Effect.timeoutOption(feed.awaitEventAfter(signer.end()), yield* signer.untilDue)
  // The pause collects events that arrive together.
  yield* Effect.sleep(LINGER_MILLIS)
  while (isBefore(signer.end(), feed.head())) {
    if (yield* signer.addInThread()) continue
    const page = yield* feed.after(signer.end())
    yield* signer.add(page)
    // The feed has announced events that cannot be read yet.
    if (page.length === 0) yield* Effect.sleep(LINGER_MILLIS)
  }
  yield* signer.signIfDue
})

/**
 * Signs the pending events and appends the tree head after the previous one. Fails with `WrongExpectedRevision` when
 * another process appended first: the chain never forks.
 */
export const signTreeHead = Effect.fnUntraced(function* ({ block, end, last }: Pending) {
  const store = yield* EventStore
  const sha256 = yield* Hashing
  const { keyId, sign } = yield* Notary
  const at = isoTime(yield* Clock.currentTimeMillis)
  const unsigned = closeBlock(sha256, block, { at, keyId, position: formatPosition(end), previous: last })
  const treeHead: TreeHead = { ...unsigned, signature: sign(signedText(unsigned)) }
  const event = treeHeadEvent(sha256, yield* Identifiers, treeHead)
  yield* store.append(treeHeadStream, last === undefined ? "no-stream" : last.number - 1, [event])
  return treeHead
})

/**
 * Appends to the file all tree heads of the log that the file lacks. Fails when the file belongs to another log: such a
 * file is evidence, so it stays unchanged.
 */
export const copyTreeHeads = Effect.gen(function* () {
  const store = yield* EventStore
  const file = yield* TreeHeadFile
  const last = yield* file.last
  if (last !== undefined) yield* requireInLog(last)
  let from = last?.number ?? 0
  while (true) {
    const events = yield* store.readStream(treeHeadStream, { from, limit: COPY_PAGE })
    const treeHeads = events.flatMap((event) => treeHeadOf(event) ?? [])
    if (treeHeads.length > 0) yield* file.append(treeHeads)
    if (events.length < COPY_PAGE) return
    from += COPY_PAGE
  }
})

const requireInLog = Effect.fnUntraced(function* (last: TreeHead) {
  const inLog = yield* treeHeadByNumber(last.number)
  if (inLog !== undefined && treeHeadLine(inLog) === treeHeadLine(last)) return
  const what = inLog === undefined
    ? `the file of tree heads has tree head ${last.number}, but the log does not have it`
    : `tree head ${last.number} differs between the file of tree heads and the log`
  return yield* new TreeHeadFileError({
    message: `${what}: was the log cut off, or restored from a backup? See sliptrail trail verify. `
      + "The file is unchanged; after you move it away, the service starts a new one"
  })
})

const COPY_PAGE = 500

const LINGER_MILLIS = 100

/** A shutdown takes at most ten seconds, and HTTP and the worker stop first. The next start signs the other events. */
const FINISH_MILLIS = 300

const retrySchedule = Schedule.min([Schedule.exponential("50 millis"), Schedule.spaced("5 seconds")]).pipe(
  Schedule.jittered
)

const signed = Metric.counter("sliptrail_checkpoints_signed_total", {
  description: "Tree heads of the log that this process signed",
  incremental: true
})
