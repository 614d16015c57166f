/** A task for a process that has the log of slips in its folder. */
export interface Task {
  /**
   * - `build`: builds the read models in SQLite from the log, in the file of a copy
   * - `restore`: restores them from that copy in Redis
   * - `project`: projects them in Redis from the log, without a copy
   */
  readonly task: "build" | "restore" | "project"
  /** Of Redis; unused by `build`. */
  readonly url: string
}

export interface TaskReport {
  readonly millis: number
}
