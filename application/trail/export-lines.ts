import { formatPosition, type Json, type RecordedEvent } from "../../domain/events/recorded-event.ts"
import { endCodeOf } from "../../domain/failed-verification.ts"
import type { Parties } from "./sealed-fields.ts"
import { withoutQueries } from "./trail.ts"

export interface ExportedEvent {
  /** As the log holds it, or with its personal data opened. */
  readonly event: RecordedEvent
  /** Sender and receiver; undefined when the export leaves them out. */
  readonly parties: Parties | undefined
}

/**
 * An event as a line of NDJSON. Position, data and metadata are as the log holds them, because the proof covers them.
 * `mark` names a partial export; its lines also have the `masked` parties and the mark as `export`.
 */
export const ndjsonLine = ({ event, parties }: ExportedEvent, mark: string | undefined): string => {
  const { data, id, metadata, position, revision, stream, type } = event
  const line = { position: formatPosition(position), id, stream, revision, type, data, metadata }
  const masked = parties !== undefined && Object.keys(parties).length > 0 ? { masked: parties } : {}
  return `${JSON.stringify(mark === undefined ? line : { ...line, ...masked, export: mark })}\n`
}

type Cell = Json | undefined

/** The columns of the CSV. Spreadsheets refer to them by place: never rename, reorder or remove one. */
const columns: Readonly<Record<string, (event: RecordedEvent, parties: Parties, mark: string) => Cell>> = {
  position: ({ position }) => formatPosition(position),
  id: ({ id }) => id,
  stream: ({ stream }) => stream,
  revision: ({ revision }) => revision,
  type: ({ type }) => type,
  at: ({ metadata }) => metadata.at,
  actorKind: ({ metadata }) => metadata.actor.kind,
  actorId: ({ metadata }) => metadata.actor.id,
  branchId: ({ data, stream }) => stream.startsWith("branch-") ? stream.slice("branch-".length) : data["branchId"],
  verificationId: ({ data }) => data["verificationId"],
  jobId: ({ data }) => data["jobId"],
  sendingBank: ({ data }) => data["sendingBank"],
  amountBaht: ({ data: { amount } }) => typeof amount === "number" ? (amount / 100).toFixed(2) : undefined,
  transferredAt: ({ data }) => data["transferredAt"],
  senderBank: (_, { senderBank }) => senderBank,
  senderName: (_, { senderName }) => senderName,
  senderAccount: (_, { senderAccount }) => senderAccount,
  receiverBank: (_, { receiverBank }) => receiverBank,
  receiverName: (_, { receiverName }) => receiverName,
  receiverAccount: (_, { receiverAccount }) => receiverAccount,
  charged: ({ data }) => data["charged"],
  isDuplicate: ({ data, type }) => isDuplicate[type] ?? data["isDuplicate"],
  code: ({ data: { code, severalSlips, wrongKind } }) => endCodeOf({ code, severalSlips, wrongKind }),
  why: ({ data }) => data["why"] ?? data["reason"],
  gateway: ({ data }) => data["gateway"],
  gatewayMillis: ({ data }) => data["gatewayMillis"],
  callbackStatus: ({ data, stream }) => stream.startsWith("callback-") ? data["status"] : undefined,
  data: ({ data }) => JSON.stringify(withoutQueries(data)),
  export: (_event, _parties, mark) => mark
}

const isDuplicate: Readonly<Record<string, boolean>> = { SlipVerified: false, SlipVerifiedAgain: true }

/** Texts that a spreadsheet may run as a formula, also after spaces. */
const FORMULA = /^[\s\p{Cc}]*[=+\-@＝＋－＠]|^[\t\r]/u

/** The text of a cell. Line breaks become spaces, because one event is one line. */
const textOf = (cell: Cell): string => {
  if (cell === undefined || cell === null) return ""
  return (typeof cell === "string" ? cell : JSON.stringify(cell)).replaceAll(/[\r\n]+/gu, " ")
}

const cellOf = (cell: Cell): string => {
  const text = textOf(cell)
  const safe = FORMULA.test(text) ? `'${text}` : text
  return /[",]|^\s|\s$/u.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** The header line of the CSV (RFC 4180, with CR LF line ends). */
export const csvHeader = `${Object.keys(columns).join(",")}\r\n`

const cells = Object.values(columns)

const noParties: Parties = {}

/** An event as a line of CSV, safe against formula injection. `mark` names the export. */
export const csvLine = ({ event, parties = noParties }: ExportedEvent, mark: string): string =>
  `${cells.map((cell) => cellOf(cell(event, parties, mark))).join(",")}\r\n`
