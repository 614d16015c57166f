import { Data, Effect, Schema } from "effect"
import { duplicatesModel, duplicatesSets, duplicatesTables, VerificationRow } from "../models/duplicates.ts"
import { modelName } from "../models/model-name.ts"
import { EventStore, isBehind, type RecordedEvent } from "../ports/event-store.ts"
import { ReadModels } from "../ports/read-models.ts"
import { slipDigest } from "../commands/slip-vault.ts"
import { streamOf } from "../aggregates.ts"

/** Whose story is told. */
export type TrailSubject =
  | { readonly _tag: "Verification"; readonly id: string }
  | { readonly _tag: "Slip"; readonly sendingBank: string; readonly transRef: string }
  | { readonly _tag: "Branch"; readonly id: string }

/** Nothing is known of the subject. */
export class TrailEmpty extends Data.TaggedError("TrailEmpty")<{}> {}

/** How many of a branch's verifications are told, the latest. */
const BRANCH_VERIFICATIONS = 1_000

const model = modelName(duplicatesModel)

const streamOfVerification = Effect.fnUntraced(function*(id: string) {
  const row = yield* (yield* ReadModels).get(model, duplicatesTables.verifications, id.toLowerCase())
  return row === undefined ? undefined : (yield* Effect.orDie(Schema.decodeUnknownEffect(VerificationRow)(row))).stream
})

const eventsOfVerification = Effect.fnUntraced(function*(id: string) {
  const stream = yield* streamOfVerification(id)
  if (stream === undefined) return []
  const events = yield* (yield* EventStore).readStream(stream)
  return events.filter(({ metadata }) => metadata.causationId === id.toLowerCase())
})

const eventsOfSlip = Effect.fnUntraced(function*(sendingBank: string, transRef: string) {
  const store = yield* EventStore
  const digest = yield* slipDigest(sendingBank, transRef)
  const streams = yield* (yield* ReadModels).members(model, duplicatesSets.ofSlip(digest))
  return (yield* Effect.forEach(streams, ({ member }) => store.readStream(member))).flat()
})

const eventsOfBranch = Effect.fnUntraced(function*(id: string) {
  const models = yield* ReadModels
  const own = yield* (yield* EventStore).readStream(streamOf.branch(id))
  const all = yield* models.members(model, duplicatesSets.ofBranch(id))
  const latest = all.slice(-BRANCH_VERIFICATIONS)
  return [...own, ...(yield* Effect.forEach(latest, ({ member }) => eventsOfVerification(member))).flat()]
})

const eventsOf = (subject: TrailSubject) => {
  switch (subject._tag) {
    case "Verification":
      return eventsOfVerification(subject.id)
    case "Slip":
      return eventsOfSlip(subject.sendingBank, subject.transRef)
    case "Branch":
      return eventsOfBranch(subject.id)
  }
}

const inOrder = (one: RecordedEvent, other: RecordedEvent): number => isBehind(one.position, other.position) ? -1 : 1

/** Everything that happened to a subject, oldest first; fails with `TrailEmpty` when nothing did. */
export const trail = Effect.fn("trail")(function*(subject: TrailSubject) {
  const events = yield* eventsOf(subject)
  if (events.length === 0) return yield* new TrailEmpty()
  return [...events].sort(inOrder)
})
