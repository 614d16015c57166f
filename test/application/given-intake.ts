import { Context, Effect, Exit, Layer } from "effect"
import { type CommandContext, handleCommand, load } from "../../application/events/handle-command.ts"
import { notFoundBody } from "../../application/jobs/verify-jobs.ts"
import { SlipIntake, type SlipToEnqueue } from "../../application/jobs/enqueue-slips.ts"
import { type DueWork, WorkNotifier } from "../../application/processes/work-notifier.ts"
import type { Caller } from "../../application/provisioning/callers.ts"
import { openJobSource, sealJobResult } from "../../application/sealing/sealed-data.ts"
import { jobs, streamOf } from "../../domain/events/aggregates.ts"
import { qrSlipsOf } from "../../domain/slip/qr-slips.ts"
import { isoTime } from "../../domain/time.ts"
import type { Allowances } from "../../infrastructure/runtime/uncharged-limits.ts"
import type { SlipReading } from "../../ports/slip-reader.ts"
import { callerOf, givenVerifierWith } from "./given-verifier.ts"

export const slipToEnqueue = (text: string, more: Partial<SlipToEnqueue> = {}): SlipToEnqueue => ({
  source: { _tag: "Payload", text },
  remark: undefined,
  expectedAmount: undefined,
  accounts: undefined,
  callbackUrl: undefined,
  ...more
})

const jobState = (jobId: string) => Effect.map(load(jobs, streamOf.job(jobId)), ({ state }) => state)

/** The reading of a picture with these QR texts. */
export const reading = (...texts: ReadonlyArray<string>): SlipReading => ({
  format: "png",
  width: 1,
  height: 1,
  slips: qrSlipsOf(texts),
  texts,
  tookMillis: 1
})

/** The context of a command of the system, at a time in milliseconds. */
export const byService = (commandId: string, at: number): CommandContext => ({
  commandId,
  correlationId: "request-1",
  actor: { kind: "system", id: "worker" },
  at
})

/** The fixture of `givenVerifierWith`, with an intake over the same log and the work that it notified. */
export const givenIntakeWith = Effect.fnUntraced(function* (allowances: Partial<Allowances> = {}) {
  const given = yield* givenVerifierWith(allowances)
  const { ports } = given
  const notified: Array<DueWork> = []
  const intake = yield* Layer.fresh(SlipIntake.layer).pipe(
    Layer.provide(Layer.succeedContext(
      Context.add(ports, WorkNotifier, (work) => Effect.sync(() => void notified.push(...work)))
    )),
    Layer.build,
    Effect.map((context) => Context.get(context, SlipIntake))
  )
  return {
    ...given,
    notified,
    enqueue: (jobId: string, slip: SlipToEnqueue, caller: Caller = callerOf()) =>
      intake.enqueue({ jobId, slip, caller, correlationId: "request-1" }),
    enqueueBatch: (batchId: string, slips: ReadonlyArray<SlipToEnqueue>, caller: Caller = callerOf()) =>
      intake.enqueueBatch({ batchId, slips, caller, correlationId: "request-1" }),
    jobState: (jobId: string) => Effect.provide(jobState(jobId), ports),
    /** The opened source of a job. */
    sourceOf: (jobId: string) =>
      Effect.provide(
        Effect.flatMap(jobState(jobId), ({ enqueued }) =>
          enqueued === null ? Effect.die("no such job") : openJobSource(enqueued.source)),
        ports
      ),
    /** Ends a job as not found, at a time in milliseconds. */
    endJob: (jobId: string, at: number) =>
      Effect.provide(
        Effect.gen(function* () {
          const error = { code: "SLIP_NOT_FOUND", message: "Slip not found or invalid" }
          const result = yield* sealJobResult(notFoundBody({ jobId, batchId: null }, error, isoTime(at)), jobId)
          yield* handleCommand(jobs, streamOf.job(jobId), {
            _tag: "FailAttempt",
            attempt: 1,
            at: isoTime(at),
            code: error.code,
            why: "",
            slipDigest: null,
            gateway: null,
            gatewayMillis: null,
            upstream: null,
            askedBefore: [],
            nextAttemptAt: null,
            result
          }, byService("end", at))
        }),
        ports
      )
  }
})

export const givenIntake = givenIntakeWith()

/** The number of slips that the branch can still enqueue. It enqueues them. */
export const unitsLeft = Effect.fnUntraced(function* ({ enqueue }: Effect.Success<typeof givenIntake>, quota: number) {
  let left = 0
  while (Exit.isSuccess(yield* Effect.exit(enqueue(`left-${left}`, slipToEnqueue("x"), callerOf({ quota }))))) left++
  return left
})
