import type { Loaded } from "./handle-command.ts"

/** A stream of so many events is worth remembering: folding it anew for every command would cost more and more. */
const LONG = 64
const KEPT = 256

/**
 * The folded states of long streams, so that a command on one loads only what came since. Safe at any age: what is
 * remembered is a prefix of the stream.
 */
export interface StateCache<State> {
  readonly get: (stream: string) => Loaded<State> | undefined
  readonly keep: (stream: string, loaded: Loaded<State>) => void
}

export const makeStateCache = <State>(): StateCache<State> => {
  const kept = new Map<string, Loaded<State>>()
  return {
    get: (stream) => kept.get(stream),
    keep: (stream, loaded) => {
      if (loaded.revision < LONG) return
      kept.delete(stream)
      kept.set(stream, loaded)
      const [oldest] = kept.keys()
      if (kept.size > KEPT && oldest !== undefined) kept.delete(oldest)
    }
  }
}
