/**
 * The name from which `Identifiers.derived` makes a job's id. The id of a batch thus determines the ids of its jobs.
 */
export const batchJobName = (batchId: string, index: number): string => `${batchId}/${index}`

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/u

/** The version 4 says that the id is random. */
const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u

/** A request id that contains the trace id of its caller (`requestIdIn` of the telemetry). */
const ID_IN_TRACE = /^[0-9a-f]{32}-[0-9a-f]{16}$/u

/** Whether a text has the form of the request ids that the service makes. A caller's own id can have it too. */
export const isLikeRequestId = (text: string): boolean => UUID.test(text) || ID_IN_TRACE.test(text)

/**
 * Reads an id and returns it in lower case, as in the log; undefined for other texts (docs/spec/http.md,
 * "Conventions").
 */
export const parseId = (text: string): string | undefined => {
  const id = text.toLowerCase()
  return UUID.test(id) ? id : undefined
}

/** Reads an API key, a UUID v4, and returns it in lower case; undefined for other texts. */
export const parseApiKey = (text: string): string | undefined => {
  const key = text.toLowerCase()
  return UUID_V4.test(key) ? key : undefined
}

/** Whether a text can be the id of a request, also one that a caller chose: short, and harmless to print. */
export const isRequestId = (text: string): boolean => /^[\w.:-]{1,64}$/u.test(text)
