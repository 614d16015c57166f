import { Cause, Clock, Context, Effect, Exit, Tracer } from "effect"
import type { EventMetadata } from "../domain/events/recorded-event.ts"

/** Short texts and numbers. Never personal data, a key, a payload, or the path of a URL. */
export type Attributes = Readonly<Record<string, string | number | boolean>>

/** How the work of a span ended. */
export interface SpanResult {
  readonly attributes?: Attributes
  /** The type of the error, one of a few; undefined without an error. */
  readonly error?: string | undefined
}

/** The description of a span. */
export interface SpanOptions<A, E> {
  readonly name: string
  readonly kind?: Tracer.SpanKind
  readonly attributes?: Attributes | undefined
  /** Describes the result. Without it, and for interruptions, the exit itself decides. */
  readonly resultOf?: (exit: Exit.Exit<A, E>) => SpanResult
}

/** Runs an effect in a child span. Without a parent span, runs the effect untraced. */
export const inSpan = <A, E, R>(options: SpanOptions<A, E>, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => fiber.cache.span === undefined ? effect : spanned(options, effect))

const spanned = <A, E, R>(
  { attributes, kind = "internal", name, resultOf }: SpanOptions<A, E>,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.useSpan(name, { kind, attributes }, (span) => {
    const traced = Effect.provideService(effect, Tracer.ParentSpan, span)
    if (resultOf === undefined) return traced
    return Effect.onExit(traced, (exit) =>
      Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause) ? Effect.void : endSpan(span, resultOf(exit)))
  })

/** Ends a span with its result. */
export const endSpan = (span: Tracer.Span, { attributes = {}, error }: SpanResult): Effect.Effect<void> =>
  Effect.map(Clock.currentTimeNanos, (now) => {
    for (const [name, value] of Object.entries(attributes)) span.attribute(name, value)
    if (error !== undefined) span.attribute("error.type", error)
    span.end(now, Exit.void)
  })

/** The tag of the error of an exit; undefined for a success or an interruption. */
export const errorOf = (exit: Exit.Exit<unknown, unknown>): string | undefined => {
  if (Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)) return undefined
  const failure = exit.cause.reasons.find(Cause.isFailReason)?.error
  return failure instanceof Object && "_tag" in failure && typeof failure._tag === "string" ? failure._tag : "defect"
}

/** An event that caused work; every recorded event fits. */
export interface Origin {
  readonly stream: string
  readonly metadata: Pick<EventMetadata, "causationId" | "correlationId">
}

/** Work that events cause later, possibly in another process. */
export interface ContinuedWork {
  readonly name: string
  readonly origins: ReadonlyArray<Origin>
  readonly attributes?: Attributes | undefined
}

/** Adds a span to the trace of each origin. With one origin the spans of the effect are its children. */
export type ContinueTraces = (
  work: ContinuedWork
) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** How traces are continued; undefined without a collector. */
export const TraceContinuation = Context.Reference<ContinueTraces | undefined>("sliptrail/ports/TraceContinuation", {
  defaultValue: () => undefined
})

/** Runs an effect in the traces of the requests that caused it. */
export const continueTraces = <A, E, R>(
  work: () => ContinuedWork,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.flatMap(TraceContinuation, (continueIn) => continueIn === undefined ? effect : continueIn(work())(effect))
