/**
 * How the names of this service's streams begin (docs/spec/events.md, "Streams"). An EventStoreDB holds other streams
 * too: its own, which begin with `$`, and those of other programs. Whatever begins otherwise is not in this log.
 */
export const streamPrefixes: ReadonlyArray<string> = [
  "account-",
  "service-",
  "branch-",
  "bankAccount-",
  "slip-",
  "verification-",
  "job-",
  "callback-",
  "request-",
  "forgotten-",
  "reveal-",
  "chain-"
]
