/** A task for the process that verifies a log. */
export interface Task {
  /** `verify` verifies the whole log; `hash` only reads its rows and hashes their bytes. */
  readonly task: "verify" | "hash"
}

export interface TaskReport {
  readonly events: number
  /** Whether the log is intact. Always true for `hash`. */
  readonly isWhole: boolean
  readonly millis: number
}
