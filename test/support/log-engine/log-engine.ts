import type { Effect } from "effect"
import type { StreamLimits } from "../eventstore-server/log.ts"

/** The server of the log in a test, and what its operator does to it. */
export interface LogEngine {
  /** The value of `EVENTSTORE_URL`. */
  readonly url: string
  /** Sends SIGKILL. */
  readonly kill: Effect.Effect<void>
  /** Starts the server again, on its address and its data, and waits until it answers. */
  readonly start: Effect.Effect<void>
  readonly signal: (name: "SIGSTOP" | "SIGCONT") => Effect.Effect<void>
  /** Deletes a stream for ever. */
  readonly delete: (stream: string) => Effect.Effect<void>
  /** Deletes a stream until the next append. */
  readonly softDelete: (stream: string) => Effect.Effect<void>
  /** Sets `$tb` of a stream. */
  readonly truncate: (stream: string, before: number) => Effect.Effect<void>
  /** Sets `$maxCount` or `$maxAge` of a stream. */
  readonly limit: (stream: string, limits: StreamLimits) => Effect.Effect<void>
  /** Takes the right to append from the user of `url`, and gives it back. */
  readonly denyAppends: Effect.Effect<void>
  readonly allowAppends: Effect.Effect<void>
  /** Copies the data of the running server to its place for backups. */
  readonly backup: Effect.Effect<void>
  /** Replaces the data of the stopped server by the copy. */
  readonly restore: Effect.Effect<void>
}
