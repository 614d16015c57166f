import { projectAll } from "../../../../../projections/engine/batch.ts"
import { modelName } from "../../../../../projections/engine/model-name.ts"
import { formatPosition, type RecordedEvent } from "../../../../../domain/events/recorded-event.ts"
import { addEvents, type Pending, type SigningDue } from "../../../../../domain/log-proof/pending-block.ts"
import type { Projection } from "../../../../../projections/engine/projection.ts"
import type { Write } from "../../../../../ports/read-models.ts"
import { sha256 } from "../../../../platform/sha256.ts"
import type { LogPages } from "../events/log-pages.ts"
import type { Applied, FlatBatch } from "./apply-batch.ts"
import { readPosition } from "./tables.ts"

/** A question to the writer thread: project the next events for a model. Positions as text, `commit/prepare`. */
export interface NextOfModel {
  readonly model: string
  readonly after: string
  readonly from: string
  /** Whether the owner of the thread needs the writes. */
  readonly wantsWrites: boolean
}

/**
 * - `failed`: the message of the error; nothing was applied
 * - `poison`: the projection throws on an event; nothing was applied
 */
export type ProjectedOfModel =
  | { readonly _tag: "failed"; readonly message: string }
  | { readonly _tag: "poison" }
  | {
    readonly _tag: "projected"
    readonly upTo: string
    readonly events: number
    readonly handled: number
    /** Undefined when no event needed a write. */
    readonly outcome: Applied | undefined
    /** The number of writes. */
    readonly written: number
    /** The writes, if they are needed and were applied. */
    readonly writes: ReadonlyArray<Write>
  }

/** Events of one question, for each model and for the block. */
export const MOST_EVENTS = 512

/** A question to the writer thread: add the next events to a block. */
export interface NextOfBlock {
  readonly pending: Pending
  readonly due: SigningDue
}

/** Makes the function that projects events for models. Models at the same position share the events. */
export const makeProjectLog = (
  projections: ReadonlyArray<Projection>,
  log: Pick<LogPages, "after">,
  apply: (model: string, batch: FlatBatch) => Applied
): (next: ReadonlyArray<NextOfModel>) => ReadonlyArray<ProjectedOfModel> => {
  const byModel = new Map(projections.map((projection) => [modelName(projection), projection]))

  const project = ({ after, from, model, wantsWrites }: NextOfModel, pages: Pages): ProjectedOfModel => {
    const projection = byModel.get(model)
    if (projection === undefined) throw new Error(`no projection writes ${model}`)
    const events = pages(from)
    const { handled, poison, upTo, writes } = projectAll(projection, events)
    if (poison !== undefined) return { _tag: "poison" }
    const end = upTo === undefined ? from : formatPosition(upTo)
    const outcome = writes.length === 0 ? undefined : apply(model, { after, upTo: end, writes })
    return {
      _tag: "projected",
      upTo: end,
      events: events.length,
      handled,
      outcome,
      written: writes.length,
      writes: wantsWrites && outcome?.applied === true ? writes : []
    }
  }

  return (next) => {
    const pages = makePages(log)
    return next.map((one) => {
      try {
        return project(one, pages)
      } catch (cause) {
        return { _tag: "failed", message: cause instanceof Error ? cause.message : String(cause) }
      }
    })
  }
}

type Pages = (from: string) => ReadonlyArray<RecordedEvent>

/** Reads the events after a position, those after the same position once. */
const makePages = (log: Pick<LogPages, "after">): Pages => {
  const pages = new Map<string, ReadonlyArray<RecordedEvent>>()
  return (from) => {
    const page = pages.get(from) ?? log.after(Number(readPosition(from).commit), MOST_EVENTS)
    pages.set(from, page)
    return page
  }
}

/** Makes the function that adds events to the block of the next tree head. */
export const makeExtendBlock = (log: Pick<LogPages, "withIds">) => ({ due, pending }: NextOfBlock): Pending =>
  addEvents(sha256, pending, log.withIds(Number(pending.end.commit), MOST_EVENTS), due)
