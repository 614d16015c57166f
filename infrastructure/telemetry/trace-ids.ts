import { hash, randomBytes } from "node:crypto"

/** A span of somebody else, as the header `traceparent` names it (W3C Trace Context, level 1). */
export interface Caller {
  readonly traceId: string
  readonly spanId: string
}

/** Reads a `traceparent`; undefined when it is none. Of a version that is not known yet, what version 00 has is read. */
export const parseTraceparent = (header: string | undefined): Caller | undefined => {
  if (header === undefined) return undefined
  const [, version = "ff", traceId = "", spanId = "", more] = TRACEPARENT.exec(header) ?? []
  if (version === "ff" || (version === "00" && more !== undefined)) return undefined
  return isNothing(traceId) || isNothing(spanId) ? undefined : { traceId, spanId }
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/u

/** Ids of zeros stand for none. */
const isNothing = (id: string): boolean => /^0*$/u.test(id)

/** Whether a text can be the id of a request: short, and harmless to print. */
export const isRequestId = (text: string): boolean => /^[\w.:-]{1,64}$/u.test(text)

/** Names a request after the trace of its caller, unlike any other request of that trace. */
export const requestIdIn = ({ traceId }: Caller): string => `${traceId}-${randomBytes(8).toString("hex")}`

const REQUEST_ID_IN_TRACE = /^([0-9a-f]{32})-[0-9a-f]{16}$/u

/**
 * The trace of everything that goes back to a request, in whichever process and however much later: the one that its id
 * was named after, else one that the id alone gives.
 */
export const traceIdOf = (requestId: string): string => {
  const [, traceId = ""] = REQUEST_ID_IN_TRACE.exec(requestId) ?? []
  return isNothing(traceId) ? hashed(requestId, 32) : traceId
}

/** The span of the append with which a command put its events into a stream: whoever reads one of them knows it. */
export const appendSpanId = (stream: string, causationId: string): string => hashed(`${stream}/${causationId}`, 16)

const hashed = (text: string, digits: number): string => hash("sha256", text).slice(0, digits)

/**
 * Whether the spans of a trace are sent, for a share of traces between 0 and 1. The trace id alone decides, so that all
 * processes decide the same. Its last digits are the random ones, also of tracers with shorter ids.
 */
export const isSampled = (traceId: string, share: number): boolean =>
  Number.parseInt(traceId.slice(-DIGITS), 16) < share * 16 ** DIGITS

/** 52 bits: as many as a number holds. */
const DIGITS = 13
