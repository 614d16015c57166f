/**
 * A job in a due index, with the lane that limits its work: the branch of a verification, the branch and the host of a
 * callback.
 */
export interface LaneMember {
  readonly lane: string
  readonly jobId: string
}

/** `<lane> <jobId>`: a scan for due work learns the lane without another read. */
export const laneMember = (lane: string, jobId: string): string => `${lane} ${jobId}`

/** Reads what `laneMember` wrote. */
export const parseLaneMember = (member: string): LaneMember => {
  const space = member.lastIndexOf(" ")
  return { lane: member.slice(0, space), jobId: member.slice(space + 1) }
}
