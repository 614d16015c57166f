import { Cause, Clock, Effect, Exit, Option } from "effect"
import { inTrouble, type NoStatement } from "./gateway.ts"

/**
 * Leaves an upstream in peace that is in trouble. Five troubles in a row open the circuit; ten seconds later one
 * question is let through to see, and its end closes the circuit or opens it for another ten seconds.
 *
 * Nothing is learnt of what was interrupted, nor of what was asked before the circuit opened and ends after it.
 */
export interface Circuit {
  /** For how long nothing is let through, in milliseconds; 0 when it is. */
  readonly shutMillis: (now: number) => number
  /** Asks, or fails at once while the circuit is open. */
  readonly through: <A>(ask: Effect.Effect<A, NoStatement>) => Effect.Effect<A, NoStatement>
}

const MOST_TROUBLES = 5
const OPEN_MILLIS = 10_000
/** While somebody else is finding out. */
const PROBED_MILLIS = 1_000

/** `onChange` is told when the circuit opens and closes. `name` is for those who are turned away. */
export const makeCircuit = (name: string, onChange: (isOpen: boolean) => Effect.Effect<void>): Circuit => {
  let troubles = 0
  /** The circuit is open; from this time on one may try. Undefined while it is closed. */
  let probeFrom: number | undefined
  let isProbed = false

  const shutMillis = (now: number): number => {
    if (probeFrom === undefined) return 0
    return Math.max(probeFrom - now, isProbed ? PROBED_MILLIS : 0)
  }

  const learn = Effect.fnUntraced(function* (isWell: boolean) {
    const wasOpen = probeFrom !== undefined
    troubles = isWell ? 0 : troubles + 1
    const isOpen = troubles >= MOST_TROUBLES
    probeFrom = isOpen ? (yield* Clock.currentTimeMillis) + OPEN_MILLIS : undefined
    if (isOpen !== wasOpen) yield* onChange(isOpen)
  })

  const through = <A>(ask: Effect.Effect<A, NoStatement>): Effect.Effect<A, NoStatement> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const shut = shutMillis(now)
        if (shut > 0) return Effect.fail(shutFor(name, shut))
        const isProbe = probeFrom !== undefined
        isProbed = isProbe
        return Effect.onExit(restore(ask), (exit) => {
          if (isProbe) isProbed = false
          const went = wentOf(exit)
          const isLate = probeFrom !== undefined && !isProbe
          return went === "unknown" || isLate ? Effect.void : learn(went === "well")
        })
      })
    )

  return { shutMillis, through }
}

/** What those are told who are turned away. */
export const shutFor = (name: string, millis: number): NoStatement =>
  inTrouble(`${name} is not asked for a while: its circuit is open`, null, Math.ceil(millis / 1_000))

const wentOf = (exit: Exit.Exit<unknown, NoStatement>): "well" | "badly" | "unknown" => {
  if (Exit.isSuccess(exit)) return "well"
  const failure = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
  return failure === undefined ? "unknown" : impression[failure.concerns]
}

const impression = { gateway: "badly", slip: "well", nobody: "unknown" } as const
