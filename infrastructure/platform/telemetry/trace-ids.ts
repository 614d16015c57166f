import { hash, randomBytes } from "node:crypto"

/** The span of a caller, from the header `traceparent` (W3C Trace Context, level 1). */
export interface Caller {
  readonly traceId: string
  readonly spanId: string
}

/** Parses a `traceparent`; undefined when it is invalid. Newer versions are read like version 00. */
export const parseTraceparent = (header: string | undefined): Caller | undefined => {
  if (header === undefined) return undefined
  const [, version = "ff", traceId = "", spanId = "", more] = TRACEPARENT.exec(header) ?? []
  if (version === "ff" || (version === "00" && more !== undefined)) return undefined
  return isZero(traceId) || isZero(spanId) ? undefined : { traceId, spanId }
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/u

/** An id of zeros is invalid. */
const isZero = (id: string): boolean => /^0*$/u.test(id)

/** A new request id that contains the trace id of the caller. */
export const requestIdIn = ({ traceId }: Caller): string => `${traceId}-${randomBytes(8).toString("hex")}`

const REQUEST_ID_IN_TRACE = /^([0-9a-f]{32})-[0-9a-f]{16}$/u

/**
 * The trace of a request and of all work that it causes, in every process. It is the trace id that the request id
 * contains, or one that is derived from the request id.
 */
export const traceIdOf = (requestId: string): string => {
  const [, traceId = ""] = REQUEST_ID_IN_TRACE.exec(requestId) ?? []
  return isZero(traceId) ? hashed(requestId, 32) : traceId
}

/** The id of the span that appended the events of a command. Readers of the events derive the same id. */
export const appendSpanId = (stream: string, causationId: string): string => hashed(`${stream}/${causationId}`, 16)

const hashed = (text: string, digits: number): string => hash("sha256", text).slice(0, digits)

/**
 * Whether the spans of a trace are exported, for a share from 0 to 1. Only the trace id decides, so all processes decide
 * the same. Its last digits are random even for tracers with shorter ids.
 */
export const isSampled = (traceId: string, share: number): boolean =>
  Number.parseInt(traceId.slice(-DIGITS), 16) < share * 16 ** DIGITS

/** 52 bits fit into a number. */
const DIGITS = 13
