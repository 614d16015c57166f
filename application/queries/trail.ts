import { Data, Effect, Schema } from "effect"
import { duplicatesModel, duplicatesSets, duplicatesTables, VerificationRow } from "../models/duplicates.ts"
import { jobsModel, jobsSets, JobStatus } from "../models/jobs.ts"
import { modelName } from "../models/model-name.ts"
import { EventStore, isBehind, type Json, type JsonObject, type RecordedEvent } from "../ports/event-store.ts"
import { ReadModels } from "../ports/read-models.ts"
import { Readiness } from "../readiness.ts"
import { slipDigest } from "../commands/slip-vault.ts"
import { streamOf } from "../aggregates.ts"
import { jobSets } from "./jobs.ts"
import { mergedMembers } from "./merged-members.ts"
import { withoutQuery } from "./without-query.ts"

/** Whose story is told. The verification of a job has the job's id, and the job belongs to its story. */
export type TrailSubject =
  | { readonly _tag: "Job"; readonly id: string }
  | { readonly _tag: "Verification"; readonly id: string }
  | { readonly _tag: "Slip"; readonly sendingBank: string; readonly transRef: string }
  | { readonly _tag: "Branch"; readonly id: string }

/** Nothing is known of the subject. */
export class TrailEmpty extends Data.TaggedError("TrailEmpty")<{}> {}

/** How many of a branch's verifications are told, and how many of its jobs, each the latest. */
const MOST_OF_A_BRANCH = 1_000

/** Streams read at a time. */
const AT_A_TIME = 10

const model = modelName(duplicatesModel)
const modelOfJobs = modelName(jobsModel)

const streamOfVerification = Effect.fnUntraced(function*(id: string) {
  const row = yield* (yield* ReadModels).get(model, duplicatesTables.verifications, id.toLowerCase())
  return row === undefined ? undefined : (yield* Effect.orDie(Schema.decodeUnknownEffect(VerificationRow)(row))).stream
})

/** What a verification led to: in the slip's stream, or its own when it found nothing. */
const verdictOf = Effect.fnUntraced(function*(id: string) {
  const stream = yield* streamOfVerification(id)
  if (stream === undefined) return []
  const events = yield* (yield* EventStore).readStream(stream)
  return events.filter(({ metadata }) => metadata.causationId === id.toLowerCase())
})

/** From the acceptance of a job to the end of its callback; none when there is no such job. */
const courseOf = Effect.fnUntraced(function*(id: string) {
  const store = yield* EventStore
  const jobId = id.toLowerCase()
  const events = yield* store.readStream(streamOf.job(jobId))
  return events.length === 0 ? [] : [...events, ...(yield* store.readStream(streamOf.callback(jobId)))]
})

const coursesOf = (jobIds: ReadonlyArray<string>) =>
  Effect.map(Effect.forEach(jobIds, courseOf, { concurrency: AT_A_TIME }), (courses) => courses.flat())

const eventsOfVerification = Effect.fnUntraced(function*(id: string) {
  return [...(yield* courseOf(id)), ...(yield* verdictOf(id))]
})

const eventsOfJob = Effect.fnUntraced(function*(id: string) {
  const course = yield* courseOf(id)
  return course.length === 0 ? [] : [...course, ...(yield* verdictOf(id))]
})

const eventsOfSlip = Effect.fnUntraced(function*(sendingBank: string, transRef: string) {
  const store = yield* EventStore
  const models = yield* ReadModels
  const digest = yield* slipDigest(sendingBank, transRef)
  const streams = yield* models.members(model, duplicatesSets.ofSlip(digest))
  const own = (yield* Effect.forEach(streams, ({ member }) => store.readStream(member))).flat()
  const jobs = yield* models.members(modelOfJobs, jobsSets.ofSlip(digest))
  return [...own, ...(yield* coursesOf(jobs.map(({ member }) => member)))]
})

const eventsOfBranch = Effect.fnUntraced(function*(id: string) {
  const models = yield* ReadModels
  const own = yield* (yield* EventStore).readStream(streamOf.branch(id))
  const all = yield* models.members(model, duplicatesSets.ofBranch(id))
  const latest = all.slice(-MOST_OF_A_BRANCH)
  const verdicts = yield* Effect.forEach(latest, ({ member }) => verdictOf(member), { concurrency: AT_A_TIME })
  const jobs = (yield* mergedMembers(modelOfJobs, jobSets(JobStatus.literals, id), {})).slice(-MOST_OF_A_BRANCH)
  return [...own, ...verdicts.flat(), ...(yield* coursesOf(jobs.map(({ member }) => member)))]
})

const eventsOf = (subject: TrailSubject) => {
  switch (subject._tag) {
    case "Job":
      return eventsOfJob(subject.id)
    case "Verification":
      return eventsOfVerification(subject.id)
    case "Slip":
      return eventsOfSlip(subject.sendingBank, subject.transRef)
    case "Branch":
      return eventsOfBranch(subject.id)
  }
}

const inOrder = (one: RecordedEvent, other: RecordedEvent): number => isBehind(one.position, other.position) ? -1 : 1

/** The fields of events in which URLs stand that somebody chose. */
const urlFields = ["url", "callbackUrl"]

const shown = (data: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(data).map(([name, value]): [string, Json] =>
      [name, urlFields.includes(name) && typeof value === "string" ? withoutQuery(value) : value])
  )

/**
 * Everything that happened to a subject, oldest first, URLs without their query; fails with `TrailEmpty` when nothing
 * did. What is sealed stays sealed.
 */
export const trail = Effect.fn("trail")(function*(subject: TrailSubject) {
  const readiness = yield* Readiness
  yield* readiness.of(model)
  yield* readiness.of(modelOfJobs)
  const events = yield* eventsOf(subject)
  if (events.length === 0) return yield* new TrailEmpty()
  return [...events].sort(inOrder).map((event): RecordedEvent => ({ ...event, data: shown(event.data) }))
})
