/** From which name the id of a job derives (`Identifiers.derived`): the id of a batch tells those of its jobs. */
export const batchJobName = (batchId: string, index: number): string => `${batchId}/${index}`

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/u

/** An id as it stands in the log, in lower case; undefined for what can be none (docs/spec/http.md, "Conventions"). */
export const parseId = (text: string): string | undefined => {
  const id = text.toLowerCase()
  return UUID.test(id) ? id : undefined
}
