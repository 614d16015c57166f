import { beginning, formatPosition, isBefore, type Position } from "../../../domain/events/recorded-event.ts"
import { isoTime } from "../../../domain/time.ts"

/** What an export was asked for, as far as its lines differ by it. */
export interface Asked {
  /** Such as `slip` and its digest; undefined for the whole log. */
  readonly subject: { readonly kind: string; readonly id: string } | undefined
  /** Milliseconds since 1970, both included. */
  readonly from: number | undefined
  readonly to: number | undefined
  readonly after: Position
  /** How personal data stands in it. */
  readonly shown: "sealed" | "masked" | "revealed"
}

/**
 * What every line says of the export that it belongs to, such as `slip 3f…; masked`: a file tells by itself what it is,
 * wherever it was cut or moved. It has no character that a table would quote.
 */
export const markOf = ({ after, from, shown, subject, to }: Asked): string =>
  [
    subject === undefined ? "whole log" : `${subject.kind} ${subject.id}`,
    ...(from === undefined ? [] : [`from ${isoTime(from)}`]),
    ...(to === undefined ? [] : [`to ${isoTime(to)}`]),
    ...(isBefore(beginning, after) ? [`after ${formatPosition(after)}`] : []),
    shown
  ].join("; ")

/** What stands for the mark of lines that have none, which are those of the whole log, byte for byte. */
export const unmarked = "whole log; sealed"

/**
 * Whether its lines are those of the whole log, which `trail verify --file` proves, and so have no mark. Parts of it,
 * each behind another position, can be put together again.
 */
export const isAsLogged = (asked: Asked): boolean => markOf({ ...asked, after: beginning }) === unmarked
