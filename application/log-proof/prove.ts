import { Data, Effect } from "effect"
import { leafOf } from "../../domain/log-proof/chain.ts"
import type { TreeHead } from "../../domain/log-proof/tree-head.ts"
import { type InclusionProof, PROOF_FORMAT, type ProvenEntry } from "../../domain/log-proof/inclusion.ts"
import { auditPath, emptyTree, grow, rootOf } from "../../domain/log-proof/merkle.ts"
import { toHex } from "../../domain/hex.ts"
import {
  beginning,
  formatPosition,
  isBefore,
  parsePosition,
  type Position,
  type RecordedEvent
} from "../../domain/events/recorded-event.ts"
import { EventStore } from "../../ports/event-store.ts"
import { Hashing } from "../../ports/notary.ts"
import { treeHeadCovering } from "./tree-heads.ts"
import { TrailEmpty, trailReady } from "../trail/trail.ts"
import { courseOf, verdictOf } from "../trail/trail-sources.ts"

/** What is to be proven: what a verification led to, or all of a job, from its acceptance to the end of its callback. */
export type ProofSubject = InclusionProof["about"]

/** Some of it is not covered by a checkpoint yet; `at` is when the oldest of that happened, ISO 8601. */
export class NotCovered extends Data.TaggedError("NotCovered")<{
  readonly uncovered: number
  readonly events: number
  readonly at: string
}> {}

/** The log is not what was signed; `message` says where. */
export class NotAsSigned extends Data.TaggedError("NotAsSigned")<{ readonly message: string }> {}

/** Events that are read at once. */
const PAGE = 500

const eventsOf = Effect.fnUntraced(function* ({ id, kind }: ProofSubject) {
  const course = kind === "job" ? yield* courseOf(id) : []
  if (kind === "job" && course.length === 0) return yield* new TrailEmpty()
  const events = [...course, ...(yield* verdictOf(id))]
  if (events.length === 0) return yield* new TrailEmpty()
  return events.sort((one, other) => isBefore(one.position, other.position) ? -1 : 1)
})

interface Covered {
  readonly checkpoint: TreeHead
  readonly previous: TreeHead | undefined
}

/** The leaves of a block, and at which place the event of each position stands. */
const leavesOf = Effect.fnUntraced(function* ({ checkpoint, previous }: Covered) {
  const store = yield* EventStore
  const sha256 = yield* Hashing
  const end = parsePosition(checkpoint.position) ?? beginning
  const places = new Map<string, number>()
  const leaves: Array<Uint8Array> = []
  let after: Position = parsePosition(previous?.position ?? "") ?? beginning
  while (isBefore(after, end)) {
    const page = yield* store.readAll({ after, limit: PAGE })
    for (const event of page) {
      if (isBefore(end, event.position)) break
      const position = formatPosition(event.position)
      places.set(position, leaves.length)
      leaves.push(leafOf(sha256, { ...event, position }))
    }
    const last = page.at(-1)
    if (last === undefined) break
    after = last.position
  }
  const root = rootOf(sha256, leaves.reduce((tree, leaf) => grow(sha256, tree, leaf), emptyTree))
  if (leaves.length === checkpoint.count - checkpoint.from && toHex(root) === checkpoint.merkleRoot) {
    return { leaves, places }
  }
  const message = `the events up to position ${checkpoint.position} are not those over which checkpoint `
    + `${checkpoint.number} was signed: see sliptrail trail verify`
  return yield* new NotAsSigned({ message })
})

const entriesOf = Effect.fnUntraced(function* (events: ReadonlyArray<RecordedEvent>, covered: Covered) {
  const sha256 = yield* Hashing
  const { leaves, places } = yield* leavesOf(covered)
  return events.map(({ recordedAt: _, ...event }): ProvenEntry => {
    const position = formatPosition(event.position)
    const index = places.get(position) ?? 0
    const path = auditPath(sha256, leaves, index).map(toHex)
    return { event: { ...event, position }, checkpoint: covered.checkpoint.number, index, path }
  })
})

/**
 * The proof that the events of a subject stood in the log when it was signed. Fails with `TrailEmpty` when there are
 * none, and with `NotCovered` as long as one of them is not signed yet.
 */
export const prove = Effect.fn("prove")(function* (about: ProofSubject) {
  yield* trailReady
  const events = yield* eventsOf(about)
  const blocks = new Map<number, { readonly covered: Covered; readonly events: Array<RecordedEvent> }>()
  const uncovered: Array<RecordedEvent> = []
  for (const event of events) {
    const covered = yield* treeHeadCovering(event.position)
    if (covered === undefined) {
      uncovered.push(event)
      continue
    }
    const block = blocks.get(covered.checkpoint.number) ?? { covered, events: [] }
    block.events.push(event)
    blocks.set(covered.checkpoint.number, block)
  }
  const [oldest] = uncovered
  if (oldest !== undefined) {
    return yield* new NotCovered({ uncovered: uncovered.length, events: events.length, at: oldest.metadata.at })
  }
  const [first, ...others] = yield* Effect.forEach(
    blocks.values(),
    Effect.fnUntraced(function* (block) {
      return { checkpoint: block.covered.checkpoint, entries: yield* entriesOf(block.events, block.covered) }
    })
  )
  const [entry, ...entries] = [first, ...others].flatMap((block) => block?.entries ?? [])
  if (first === undefined || entry === undefined) return yield* new TrailEmpty()
  const proof: InclusionProof = {
    format: PROOF_FORMAT,
    about,
    entries: [entry, ...entries],
    checkpoints: [first.checkpoint, ...others.map(({ checkpoint }) => checkpoint)]
  }
  return proof
})
