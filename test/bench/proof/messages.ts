/** What the process that examines a log is asked to do with all of it. */
export interface Task {
  /** `verify` proves it; `hash` only reads its rows and hashes their bytes. */
  readonly task: "verify" | "hash"
}

export interface TaskReport {
  readonly events: number
  /** Whether it is whole; true of `hash`. */
  readonly isWhole: boolean
  readonly millis: number
}
