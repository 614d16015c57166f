import { Context, Duration, Effect, Exit, Layer, References, Scope } from "effect"
import { type CommandContext, handleCommand } from "../../../application/events/handle-command.ts"
import { webhookSecretPurpose } from "../../../application/provisioning/branches.ts"
import { type JobSource, sealJobResult, sealJobSource } from "../../../application/sealing/sealed-data.ts"
import { SlipUnknown } from "../../../application/verification/ask-bank.ts"
import {
  type Attempted,
  type AttemptError,
  AttemptFailed,
  SlipVerifier
} from "../../../application/verification/verify-slip.ts"
import { startWorker, type WorkerOptions } from "../../../application/workers/worker.ts"
import { branches, jobs, streamOf } from "../../../domain/events/aggregates.ts"
import { beginning } from "../../../domain/events/recorded-event.ts"
import { satang } from "../../../domain/money.ts"
import { isoTime } from "../../../domain/time.ts"
import { Claims } from "../../../ports/claims.ts"
import { Egress, type EgressError, type EgressRequest, type EgressResponse } from "../../../ports/egress.ts"
import { EventStore } from "../../../ports/event-store.ts"
import type { Identifiers } from "../../../ports/identifiers.ts"
import { ReadModels } from "../../../ports/read-models.ts"
import { type Uncharged, UnchargedLimiter } from "../../../ports/uncharged-limiter.ts"
import { Vault } from "../../../ports/vault.ts"
import { layerProjector } from "../../../projections/engine/projector.ts"
import { callbacksProjection } from "../../../projections/models/callbacks.ts"
import { jobsProjection } from "../../../projections/models/jobs.ts"
import { enqueueCommand } from "../enqueue-command.ts"
import { transferOf } from "../given-verifier.ts"
import { noFaults } from "../../support/faulty-event-store.ts"
import { until } from "../../support/advance-clock.ts"
import { layerPorts } from "../../support/ports.ts"

type AttemptInput = Parameters<SlipVerifier["Service"]["attempt"]>[0]

export const branchId = "branch-1"
export const receiver = "https://shop.example/hook?token=s3cret"
export const firstSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwq8xDo2VzZWQ="
export const secondSecret = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD4gQbWUf3cHM="

const options: WorkerOptions = {
  successesPerSlot: 0,
  verifyRetries: [Duration.seconds(3), Duration.seconds(6)],
  callbackRetries: [Duration.seconds(5), Duration.seconds(30)],
  callbackTimeoutMillis: 10_000,
  userAgent: "SlipTrail/0.0.0",
  signatureHeaders: ["X-EasySlip-Signature"],
  isSandbox: false,
  idleMillis: 200,
  drainMillis: 0
}

/** The body of a test's callback. */
export const body = `{"jobId":"j-1","batchId":null,"status":"success","data":{"remark":"โต๊ะ 5 ☕"},"timestamp":"x"}`

/** What the attempt of a job leads to, whose slip the branch had not verified before. */
export const verified = (jobId: string): Attempted => {
  const payload = "0041…"
  return {
    verification: {
      verificationId: jobId,
      payload,
      transfer: transferOf({ sendingBank: "004", transRef: "R1" }, satang(100_00)),
      duplicate: null,
      isForgotten: false,
      remark: undefined,
      expectedAmount: undefined,
      isAmountMatched: undefined,
      matching: null,
      acceptance: undefined
    },
    charged: true,
    slipDigest: "d1"
  }
}

/** A sent request with its time. */
export interface Sent extends EgressRequest {
  readonly at: number
}

/**
 * The engines that processes share, with a running projector. `stubs` answers callbacks and verification attempts.
 * With `egress`, callbacks are sent through it instead.
 */
export const givenWorkersWith = Effect.fnUntraced(function* (egress?: Layer.Layer<Egress>) {
  const logFaults = noFaults()
  const sent: Array<Sent> = []
  const attempts: Array<AttemptInput> = []
  const owed: Array<Uncharged> = []
  const headers: Readonly<Record<string, string>> = {}
  const stubs = {
    answer: (_: EgressRequest): Effect.Effect<number, EgressError> => Effect.succeed(200),
    /** The headers of every answer. */
    headers,
    attempt: (_: AttemptInput): Effect.Effect<Attempted, AttemptError> =>
      Effect.fail(
        new AttemptFailed({ failure: new SlipUnknown({ reason: "unknown-bank", asked: null }), slipDigest: "d1" })
      )
  }
  const answer = (status: number): EgressResponse => ({
    status,
    headers: stubs.headers,
    body: new Uint8Array(),
    hops: []
  })
  const stub = Egress.of({
    request: (request) =>
      Effect.flatMap(Effect.clockWith((clock) => clock.currentTimeMillis), (at) => {
        sent.push({ ...request, at })
        return Effect.map(stubs.answer(request), answer)
      }),
    check: () => Effect.succeed([])
  })
  const engines = yield* Layer.build(
    layerProjector([jobsProjection, callbacksProjection]).pipe(
      Layer.provideMerge(Layer.mergeAll(
        layerPorts(logFaults),
        Layer.mock(UnchargedLimiter, { owe: (kind) => Effect.sync(() => void owed.push(kind)) })
      )),
      Layer.provideMerge(egress ?? Layer.succeed(Egress, stub)),
      Layer.provideMerge(Layer.mock(SlipVerifier, {
        attempt: (request) =>
          Effect.suspend(() => {
            attempts.push(request)
            return stubs.attempt(request)
          })
      })),
      Layer.fresh
    )
  )
  const store = Context.get(engines, EventStore)
  const inside = <A, E>(effect: Effect.Effect<A, E, Engines>) => Effect.provideContext(effect, engines)

  const contextOf = (name: string): Effect.Effect<CommandContext> =>
    Effect.clockWith((clock) => clock.currentTimeMillis).pipe(Effect.map((at) => ({
      commandId: `test/${name}`,
      correlationId: "request-1",
      actor: { kind: "branch", id: branchId },
      at
    })))

  const rotate = Effect.fnUntraced(function* (secret: string, overlapSeconds: number) {
    const context = yield* contextOf(`rotate ${secret}`)
    yield* handleCommand(branches, streamOf.branch(branchId), {
      _tag: "RotateWebhookSecret",
      secret: yield* (yield* Vault).seal(webhookSecretPurpose, secret),
      effectiveAt: isoTime(context.at),
      previousExpiresAt: isoTime(context.at + overlapSeconds * 1_000)
    }, context)
  })

  const createBranch = Effect.fnUntraced(function* (id: string) {
    const context = yield* contextOf(`create ${id}`)
    yield* handleCommand(branches, streamOf.branch(id), {
      _tag: "CreateBranch",
      branchId: id,
      serviceId: "service-1",
      isMain: true,
      name: "Silom",
      keyDigest: "k1",
      webhookSecret: yield* (yield* Vault).seal(webhookSecretPurpose, firstSecret),
      at: isoTime(context.at),
      settings: {}
    }, context)
  })

  const enqueue = Effect.fnUntraced(function* (
    jobId: string,
    { branchId: jobBranchId = branchId, callbackUrl = receiver, source = { payload: "0041…" } }: {
      readonly branchId?: string
      readonly callbackUrl?: string | null
      readonly source?: JobSource
    } = {}
  ) {
    const context = yield* contextOf(`enqueue ${jobId}`)
    const sealed = yield* sealJobSource(source, jobId)
    const command = enqueueCommand({
      jobId,
      branchId: jobBranchId,
      at: isoTime(context.at),
      source: sealed,
      callbackUrl
    })
    yield* handleCommand(jobs, streamOf.job(jobId), command, context)
  })

  /** A job that has ended, whose callback has this body. */
  const end = Effect.fnUntraced(function* (jobId: string, body: string, callbackUrl = receiver, of = branchId) {
    yield* enqueue(jobId, { branchId: of, callbackUrl })
    const context = yield* contextOf(`end ${jobId}`)
    yield* handleCommand(jobs, streamOf.job(jobId), {
      _tag: "Succeed",
      attempt: 1,
      at: isoTime(context.at),
      charged: true,
      isDuplicate: false,
      slipDigest: "d1",
      result: yield* sealJobResult(body, jobId)
    }, context)
  })

  yield* inside(createBranch(branchId))

  return {
    logFaults,
    sent,
    attempts,
    /** What ended jobs took from the allowances. */
    owed,
    stubs,
    store,
    engines,
    createBranch: (id: string) => inside(createBranch(id)),
    enqueue: (...args: Parameters<typeof enqueue>) => inside(enqueue(...args)),
    end: (...args: Parameters<typeof end>) => inside(end(...args)),
    rotate: (...args: Parameters<typeof rotate>) => inside(rotate(...args)),
    inside,
    /** A process with a worker on these engines. */
    start: Effect.fnUntraced(function* (
      more: Partial<WorkerOptions> & {
        readonly claims?: Claims["Service"]
        readonly models?: ReadModels["Service"]
        /** Whether the worker logs. */
        readonly isLogging?: boolean
      } = {}
    ) {
      const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
      const { claims = Context.get(engines, Claims), isLogging = false, models = Context.get(engines, ReadModels) } =
        more
      const notify = yield* startWorker({ ...options, ...more }).pipe(
        Effect.provideService(Claims, claims),
        Effect.provideService(ReadModels, models),
        Effect.provideContext(engines),
        Effect.provideService(References.MinimumLogLevel, isLogging ? "Info" : "None"),
        Scope.provide(scope)
      )
      return { notify, stop: Scope.close(scope, Exit.void) }
    }),
    /** The claims of a process that dies without releasing them. */
    claimsOfCrashedProcess: Claims.of({ ...Context.get(engines, Claims), release: () => Effect.void }),
    /** The types of a stream's events, each with the given fields of its data. */
    eventTypes: (stream: string, ...fields: ReadonlyArray<string>) =>
      Effect.map(
        store.readStream(stream),
        (events) =>
          events.map(({ data, type }) => fields.length === 0 ? type : [type, ...fields.map((field) => data[field])])
      ),
    /** A time in the last event of a type, in milliseconds. NaN when the event or the field is missing. */
    momentOf: (stream: string, type: string, field: "at" | "nextAttemptAt") =>
      Effect.map(store.readStream(stream), (events) => {
        const value = events.findLast((event) => event.type === type)?.data[field]
        return typeof value === "string" ? Date.parse(value) : NaN
      }),
    events: store.readAll({ after: beginning, limit: 1_000_000 })
  }
})

export const givenWorkers = givenWorkersWith()

type Engines = EventStore | ReadModels | Claims | Vault | Identifiers | UnchargedLimiter

export type WorkerFixture = Effect.Success<typeof givenWorkers>

export const textOf = ({ body }: Pick<Sent, "body">): string => new TextDecoder().decode(body)

/** Waits until the last event of a job's callback has the given type. */
export const callbackEnds = ({ eventTypes }: WorkerFixture, end: string, jobId = "j-1") =>
  until(Effect.map(eventTypes(`callback-${jobId}`), (types) => types.at(-1) === end))
