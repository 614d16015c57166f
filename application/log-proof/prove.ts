import { Data, Effect } from "effect"
import {
  beginning,
  formatPosition,
  isBefore,
  parsePosition,
  type Position,
  type RecordedEvent
} from "../../domain/events/recorded-event.ts"
import { toHex } from "../../domain/hex.ts"
import {
  checkEntry,
  type InclusionProof,
  PROOF_FORMAT,
  type ProvenEntry
} from "../../domain/log-proof/inclusion-proof.ts"
import { auditPath, emptyTree, grow, rootOf } from "../../domain/log-proof/merkle.ts"
import { leafOf, signedText, type TreeHead } from "../../domain/log-proof/tree-head.ts"
import { EventStore } from "../../ports/event-store.ts"
import { Hashing, SignatureVerifier } from "../../ports/notary.ts"
import { TrailEmpty, trailReady } from "../trail/trail.ts"
import { eventsOfSegments, jobSegments, verificationSegments } from "../trail/trail-sources.ts"
import { treeHeadByNumber, treeHeadCovering } from "./find-tree-head.ts"

/** The subject of a proof: a verification, or a job from its acceptance to the end of its callback. */
export type ProofSubject = InclusionProof["about"]

/**
 * No tree head covers some of the events yet. `at` is the time of the oldest of them, ISO 8601. Without any tree head, the
 * processes of the log may have no signing key: then none will ever cover them.
 */
export class NotCovered extends Data.TaggedError("NotCovered")<{
  readonly hasTreeHeads: boolean
  readonly uncovered: number
  readonly events: number
  readonly at: string
}> {}

/** The log differs from the signed log; `message` names the place. */
export class NotAsSigned extends Data.TaggedError("NotAsSigned")<{ readonly message: string }> {}

/** Events read at a time. */
const PAGE = 500

const eventsOf = Effect.fnUntraced(function* ({ id, kind }: ProofSubject) {
  const job = kind === "job" ? yield* eventsOfSegments(jobSegments(id)) : []
  if (kind === "job" && job.length === 0) return yield* new TrailEmpty({})
  const events = [...job, ...yield* eventsOfSegments(yield* verificationSegments(id))]
  if (events.length === 0) return yield* new TrailEmpty({})
  return events.sort((left, right) => isBefore(left.position, right.position) ? -1 : 1)
})

/** The tree head that covers an event, and the previous one. */
interface Coverage {
  readonly treeHead: TreeHead
  readonly previous: TreeHead | undefined
}

/** The leaves of a block, and the index of each event's leaf by its position. */
const leavesOf = Effect.fnUntraced(function* ({ previous, treeHead }: Coverage) {
  const store = yield* EventStore
  const sha256 = yield* Hashing
  const end = parsePosition(treeHead.position) ?? beginning
  const indexes = new Map<string, number>()
  const leaves: Array<Uint8Array> = []
  let after: Position = parsePosition(previous?.position ?? "") ?? beginning
  while (isBefore(after, end)) {
    const page = yield* store.readAll({ after, limit: PAGE })
    for (const event of page) {
      if (isBefore(end, event.position)) break
      const position = formatPosition(event.position)
      indexes.set(position, leaves.length)
      leaves.push(leafOf(sha256, { ...event, position }))
    }
    const last = page.at(-1)
    if (last === undefined) break
    after = last.position
  }
  const root = rootOf(sha256, leaves.reduce((tree, leaf) => grow(sha256, tree, leaf), emptyTree))
  if (leaves.length === treeHead.count - treeHead.from && toHex(root) === treeHead.merkleRoot) {
    return { leaves, indexes }
  }
  const message = `the events up to position ${treeHead.position} differ from those that tree head `
    + `${treeHead.number} was signed over: see sliptrail trail verify`
  return yield* new NotAsSigned({ message })
})

const entriesOf = Effect.fnUntraced(function* (events: ReadonlyArray<RecordedEvent>, coverage: Coverage) {
  const sha256 = yield* Hashing
  const { indexes, leaves } = yield* leavesOf(coverage)
  return events.map(({ recordedAt: _, ...event }): ProvenEntry => {
    const position = formatPosition(event.position)
    const index = indexes.get(position) ?? 0
    const path = auditPath(sha256, leaves, index).map(toHex)
    return { event: { ...event, position }, checkpoint: coverage.treeHead.number, index, path }
  })
})

/**
 * Proves that the events of a subject were in the log when it was signed. Fails with `TrailEmpty` when there are no
 * events, and with `NotCovered` while no tree head covers one of them.
 */
export const prove = Effect.fn("prove")(function* (about: ProofSubject) {
  yield* trailReady
  const events = yield* eventsOf(about)
  const blocks = new Map<number, { readonly coverage: Coverage; readonly events: Array<RecordedEvent> }>()
  const uncovered: Array<RecordedEvent> = []
  for (const event of events) {
    const coverage = yield* treeHeadCovering(event.position)
    if (coverage === undefined) {
      uncovered.push(event)
      continue
    }
    const block = blocks.get(coverage.treeHead.number) ?? { coverage, events: [] }
    block.events.push(event)
    blocks.set(coverage.treeHead.number, block)
  }
  const [oldest] = uncovered
  if (oldest !== undefined) {
    return yield* new NotCovered({
      hasTreeHeads: (yield* treeHeadByNumber(1)) !== undefined,
      uncovered: uncovered.length,
      events: events.length,
      at: oldest.metadata.at
    })
  }
  const [first, ...others] = yield* Effect.forEach(
    blocks.values(),
    Effect.fnUntraced(function* (block) {
      return { treeHead: block.coverage.treeHead, entries: yield* entriesOf(block.events, block.coverage) }
    })
  )
  const [entry, ...entries] = [first, ...others].flatMap((block) => block?.entries ?? [])
  if (first === undefined || entry === undefined) return yield* new TrailEmpty({})
  return {
    format: PROOF_FORMAT,
    about,
    entries: [entry, ...entries],
    checkpoints: [first.treeHead, ...others.map(({ treeHead }) => treeHead)]
  } satisfies InclusionProof
})

/** An event of a proof with the result of its check. */
export interface CheckedEntry {
  readonly event: ProvenEntry["event"]
  readonly treeHead: TreeHead | undefined
  /** Why the event is not proven; undefined when it is proven. */
  readonly fault: string | undefined
}

/** Checks a proof with the trusted public keys alone. */
export const checkProof = Effect.fnUntraced(function* ({ checkpoints, entries }: InclusionProof) {
  const sha256 = yield* Hashing
  const verifier = yield* SignatureVerifier

  const signatureFault = (treeHead: TreeHead): string | undefined => {
    const { keyId, number, signature } = treeHead
    switch (verifier.check(keyId, signedText(treeHead), signature)) {
      case "valid":
        return undefined
      case "invalid":
        return `the signature of tree head ${number} does not match key ${keyId}`
      case "unknown-key":
        return `tree head ${number} is signed by the untrusted key ${keyId}; trusted: ${verifier.keyIds.join(", ")}`
    }
  }

  const positions = new Set<string>()
  return entries.map((entry): CheckedEntry => {
    const { checkpoint: number, event } = entry
    // A repeated entry would make one charge look like two.
    if (positions.has(event.position)) return { event, treeHead: undefined, fault: "it is in the proof twice" }
    positions.add(event.position)
    const treeHead = checkpoints.find((each) => each.number === number)
    if (treeHead === undefined) return { event, treeHead, fault: `the proof has no tree head ${number}` }
    const checked = checkEntry(sha256, entry, treeHead)
    const fault = signatureFault(treeHead) ?? (checked._tag === "Failure" ? checked.failure : undefined)
    return { event, treeHead, fault }
  })
})
