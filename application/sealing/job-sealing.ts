import { Effect, Schema } from "effect"
import type { Sealed } from "../../domain/sealed.ts"
import { Vault } from "../../ports/vault.ts"
import { openKept } from "./slip-sealing.ts"

/** What a sealed value of a job is bound to. */
export const jobPurposes = { source: "job-source", result: "job-result" } as const

/** What was found at the acceptance already: the first attempt ends the job with it. */
export const JobFault = Schema.Struct({
  /** An error code and its message (docs/spec/http.md, "GET job data"). */
  code: Schema.String,
  message: Schema.String,
  /** For a person, in the trail. */
  why: Schema.String
})
export type JobFault = typeof JobFault.Type

/**
 * What a job is made of. A picture is read when it is handed over and only what it says is kept: its payload, or why
 * it has none. A URL is fetched at every attempt.
 */
export const JobSource = Schema.Union([
  Schema.Struct({ payload: Schema.String }),
  Schema.Struct({ url: Schema.String }),
  Schema.Struct({ fault: JobFault })
])
export type JobSource = typeof JobSource.Type

/** The body of a callback, as far as others than its receiver look into it (docs/spec/http.md, "Callback"). */
const ResultBody = Schema.Struct({
  data: Schema.optionalKey(Schema.Json),
  error: Schema.optionalKey(Schema.Struct({ code: Schema.String, message: Schema.String })),
  timestamp: Schema.String
})

const decodeSource = Schema.decodeEffect(Schema.fromJsonString(JobSource))
const decodeResult = Schema.decodeEffect(Schema.fromJsonString(ResultBody))

/** The subject of everything that is kept of a job: its slip may not be known before it ends. */
export const subjectOfJob = (jobId: string): string => `job:${jobId}`

export const sealJobSource = Effect.fnUntraced(function* (source: JobSource, jobId: string) {
  return yield* (yield* Vault).seal(jobPurposes.source, JSON.stringify(source), subjectOfJob(jobId))
})

/** What a job is made of; undefined when it was forgotten. */
export const openJobSource = Effect.fnUntraced(function* (sealed: Sealed) {
  const text = yield* openKept(jobPurposes.source, sealed)
  return text === undefined ? undefined : yield* Effect.orDie(decodeSource(text))
})

/** Seals the body of a callback, as text. */
export const sealJobResult = Effect.fnUntraced(function* (body: string, jobId: string) {
  return yield* (yield* Vault).seal(jobPurposes.result, body, subjectOfJob(jobId))
})

/** The body of a callback, byte for byte as it was sealed; undefined when it was forgotten. */
export const openJobResult = (sealed: Sealed) => openKept(jobPurposes.result, sealed)

/** What the body of a callback says; undefined when it was forgotten. */
export const readJobResult = Effect.fnUntraced(function* (sealed: Sealed) {
  const text = yield* openKept(jobPurposes.result, sealed)
  return text === undefined ? undefined : yield* Effect.orDie(decodeResult(text))
})
