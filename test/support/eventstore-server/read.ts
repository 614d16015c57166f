import type { ReadReq, ReadResp } from "@eventstore/db-client/generated/streams_pb.js"
import { type handleServerStreamingCall, status } from "@grpc/grpc-js"
import { type LogFaults, notHandled, notHandledError, unauthenticated } from "./faults.ts"
import type { Logged, ServerLog } from "./log.ts"
import { nameOf, notFoundMessage } from "./messages.ts"
import { filterOf, positionOf, type ReadCall, sendEvent } from "./read-call.ts"
import { refusal } from "./refusal.ts"
import { subscribe } from "./subscribe.ts"

/** Read of a stream or of `$all`, forwards or backwards, with or without a filter, once or as a subscription. */
export const makeRead =
  (log: ServerLog, faultState: LogFaults): handleServerStreamingCall<ReadReq, ReadResp> => (call) => {
    const refused = unauthenticated(faultState, call.metadata)
    if (refused !== undefined) return void call.emit("error", refused)
    const unhandled = notHandled(faultState, call.metadata)
    if (unhandled !== undefined) return void call.emit("error", notHandledError(unhandled))
    const options = call.request?.getOptions()
    if (options === undefined) return call.end()
    if (faultState.faults.denyAll && options.hasAll()) {
      return void call.emit("error", refusal(status.PERMISSION_DENIED, "Access Denied"))
    }
    const read = options.hasSubscription() ? subscribe : readOnce
    const work = read(log, faultState, call, options)
    work.catch((error: unknown) => call.emit("error", error))
  }

const readOnce = async (
  log: ServerLog,
  faultState: LogFaults,
  call: ReadCall,
  options: ReadReq.Options
): Promise<void> => {
  const stream = options.hasStream() ? nameOf(options.getStream()?.getStreamIdentifier()) : undefined
  const events = stream === undefined ? log.all : log.stream(stream)
  if (stream !== undefined && log.isDeleted(stream)) {
    throw refusal(status.FAILED_PRECONDITION, `Event stream '${stream}' is deleted.`, {
      exception: "stream-deleted",
      "stream-name": stream
    })
  }
  if (faultState.faults.delayMillis > 0) {
    await new Promise((resume) => setTimeout(resume, faultState.faults.delayMillis))
  }
  if (events === undefined) {
    call.write(notFoundMessage(stream ?? ""))
    return void call.end()
  }
  const isBackwards = options.getReadDirection() === 1
  const matches = filterOf(options)
  let remaining = Number(options.getCount())
  for (
    let at = startOf(log, events, options, isBackwards);
    remaining > 0 && !call.cancelled;
    at += isBackwards ? -1 : 1
  ) {
    const event = events[at]
    if (event === undefined) break
    if (!matches(event)) continue
    remaining--
    await sendEvent(call, faultState, event)
  }
  call.end()
}

/** Includes the event at the given position or revision, except in `$all` backwards. */
const startOf = (
  log: ServerLog,
  events: ReadonlyArray<Logged>,
  options: ReadReq.Options,
  isBackwards: boolean
): number => {
  const from = options.getAll() ?? options.getStream()
  if (from?.hasStart()) return isBackwards && options.hasAll() ? -1 : 0
  if (from?.hasEnd()) return isBackwards ? events.length - 1 : events.length
  if (options.hasAll()) return log.indexAt(positionOf(options)) - (isBackwards ? 1 : 0)
  const revision = Math.max(0, Number(options.getStream()?.getRevision()) - (events[0]?.revision ?? 0))
  return isBackwards ? Math.min(revision, events.length - 1) : revision
}
