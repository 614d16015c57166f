/**
 * The name from which `Identifiers.derived` makes a job's id. The id of a batch thus determines the ids of its jobs.
 */
export const batchJobName = (batchId: string, index: number): string => `${batchId}/${index}`

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/u

/**
 * Reads an id and returns it in lower case, as in the log; undefined for other texts (docs/spec/http.md,
 * "Conventions").
 */
export const parseId = (text: string): string | undefined => {
  const id = text.toLowerCase()
  return UUID.test(id) ? id : undefined
}
