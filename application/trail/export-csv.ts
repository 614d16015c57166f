import { formatPosition, type Json, type RecordedEvent } from "../../domain/events/recorded-event.ts"
import type { Told } from "./export-lines.ts"
import type { Parties } from "./parties.ts"
import { withoutQueries } from "./trail.ts"

type Cell = Json | undefined

/** The columns of the CSV, for good: an analyst's sheets go by them. */
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
  code: ({ data }) => data["code"],
  why: ({ data }) => data["why"] ?? data["reason"],
  gateway: ({ data }) => data["gateway"],
  gatewayMillis: ({ data }) => data["gatewayMillis"],
  callbackStatus: ({ data, stream }) => stream.startsWith("callback-") ? data["status"] : undefined,
  data: ({ data }) => JSON.stringify(withoutQueries(data)),
  export: (_event, _parties, mark) => mark
}

const isDuplicate: Readonly<Record<string, boolean>> = { SlipVerified: false, SlipVerifiedAgain: true }

/** What spreadsheets take for a formula, also behind spaces; they may run it. */
const FORMULA = /^[\s\p{Cc}]*[=+\-@＝＋－＠]|^[\t\r]/u

/** One event is one line, whatever somebody wrote: breaks of lines within a cell become spaces. */
const text = (cell: Cell): string => {
  if (cell === undefined || cell === null) return ""
  return (typeof cell === "string" ? cell : JSON.stringify(cell)).replaceAll(/[\r\n]+/gu, " ")
}

const cellOf = (cell: Cell): string => {
  const plain = text(cell)
  const safe = FORMULA.test(plain) ? `'${plain}` : plain
  return /[",]|^\s|\s$/u.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** RFC 4180, lines end with CR LF. */
export const csvHeader = `${Object.keys(columns).join(",")}\r\n`

const cells = Object.values(columns)

const nobody: Parties = {}

/**
 * An event as a line of CSV that a spreadsheet opens without running anything that somebody wrote into it. `mark` says
 * of which export it is.
 */
export const csvLine = ({ event, parties = nobody }: Told, mark: string): string =>
  `${cells.map((cell) => cellOf(cell(event, parties, mark))).join(",")}\r\n`
