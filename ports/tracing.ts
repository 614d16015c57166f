import { Cause, Clock, Context, Effect, Exit, Tracer } from "effect"
import type { EventMetadata } from "../domain/events/recorded-event.ts"

/** Small words and numbers. Never personal data, a key, a payload, or a URL with its path. */
export type Attributes = Readonly<Record<string, string | number | boolean>>

/** How the work of a span ended. */
export interface Told {
  readonly attributes?: Attributes
  /** Of what kind the error was, out of a few; undefined when it was none. */
  readonly error?: string | undefined
}

/** What there is to say of a span. */
export interface SpanOf<A, E> {
  readonly name: string
  readonly kind?: Tracer.SpanKind
  readonly attributes?: Attributes | undefined
  /** Without it, and for what was interrupted, the exit speaks for itself. */
  readonly tell?: (exit: Exit.Exit<A, E>) => Told
}

/** Runs an effect in a span beneath the one that it is in. Where it is in none nobody watches, and it merely runs. */
export const inSpan = <A, E, R>(of: SpanOf<A, E>, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => fiber.cache.span === undefined ? effect : spanned(of, effect))

const spanned = <A, E, R>(
  { attributes, kind = "internal", name, tell }: SpanOf<A, E>,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.useSpan(name, { kind, attributes }, (span) => {
    const beneath = Effect.provideService(effect, Tracer.ParentSpan, span)
    if (tell === undefined) return beneath
    return Effect.onExit(beneath, (exit) =>
      Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause) ? Effect.void : endSpan(span, tell(exit)))
  })

/** Ends a span with what is told of it. */
export const endSpan = (span: Tracer.Span, { attributes = {}, error }: Told): Effect.Effect<void> =>
  Effect.map(Clock.currentTimeNanos, (now) => {
    for (const [name, value] of Object.entries(attributes)) span.attribute(name, value)
    if (error !== undefined) span.attribute("error.type", error)
    span.end(now, Exit.void)
  })

/** The name of the error that an effect ended with; undefined when it did well, or was interrupted. */
export const errorOf = (exit: Exit.Exit<unknown, unknown>): string | undefined => {
  if (Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)) return undefined
  const failure = exit.cause.reasons.find(Cause.isFailReason)?.error
  return failure instanceof Object && "_tag" in failure && typeof failure._tag === "string" ? failure._tag : "defect"
}

/** An event that led to something; an event of the log is one. */
export interface Origin {
  readonly stream: string
  readonly metadata: Pick<EventMetadata, "causationId" | "correlationId">
}

/** What is done because of events, later than they came about and maybe in another process. */
export interface Continued {
  readonly name: string
  readonly origins: ReadonlyArray<Origin>
  readonly attributes?: Attributes | undefined
}

/** Puts a span into the trace of each origin. What the effect does in turn is beneath it where there is but one. */
export type Continue = (what: Continued) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** How traces go on; nobody watches without it. */
export const Continuing = Context.Reference<Continue | undefined>("sliptrail/application/Continuing", {
  defaultValue: () => undefined
})

/** Runs an effect in the traces of the requests that it goes back to. */
export const continuing = <A, E, R>(what: () => Continued, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Continuing, (go) => go === undefined ? effect : go(what())(effect))
