import type { Write } from "../../../../../ports/read-models.ts"
import type { Tables } from "./tables.ts"

/** Called after the commit of every batch of its model, before `apply` returns. Must not throw. */
export type AppliedListener = (writes: ReadonlyArray<Write>) => void

/**
 * Called when a model may have other content without a notification: a shadow model has replaced it, or the thread died
 * before it answered. `tables` holds the content.
 */
export type ReplacedListener = (model: string, tables: Tables) => void

/** Who must know what changes in the file. */
export interface Listeners {
  /** The returned function removes the listener. */
  readonly onApplied: (model: string, listener: AppliedListener) => () => void
  /** The returned function removes the listener. */
  readonly onReplaced: (listener: ReplacedListener) => () => void
  /** Whether a listener needs the writes of the model. */
  readonly wantWrites: (model: string) => boolean
  readonly applied: (model: string, writes: ReadonlyArray<Write>) => void
  readonly replaced: (model: string, tables: Tables) => void
}

export const makeListeners = (): Listeners => {
  const onApplied = new Map<string, Set<AppliedListener>>()
  const onReplaced = new Set<ReplacedListener>()
  return {
    onApplied: (model, listener) => {
      const ofModel = onApplied.get(model) ?? new Set()
      onApplied.set(model, ofModel)
      return listen(ofModel, listener)
    },
    onReplaced: (listener) => listen(onReplaced, listener),
    wantWrites: (model) => onApplied.has(model),
    applied: (model, writes) => {
      for (const listener of onApplied.get(model) ?? []) listener(writes)
    },
    replaced: (model, tables) => {
      for (const listener of onReplaced) listener(model, tables)
    }
  }
}

const listen = <A>(listeners: Set<A>, listener: A) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
