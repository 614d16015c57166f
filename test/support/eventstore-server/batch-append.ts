import shared from "@eventstore/db-client/generated/shared_pb.js"
import statuses from "@eventstore/db-client/generated/status_pb.js"
import streams from "@eventstore/db-client/generated/streams_pb.js"
import type { BatchAppendReq, BatchAppendResp } from "@eventstore/db-client/generated/streams_pb.js"
import { type handleBidiStreamingCall, status } from "@grpc/grpc-js"
import any from "google-protobuf/google/protobuf/any_pb.js"
import empty from "google-protobuf/google/protobuf/empty_pb.js"
import { answerAppend, type LogFaults, notHandled, notHandledError, unauthenticated } from "./faults.ts"
import type { Expected, Outcome, Proposed, ServerLog } from "./log.ts"
import { identifierOf, MAX_APPEND, nameOf, proposedOf, setPosition, sizeOf } from "./messages.ts"

interface Pending {
  readonly stream: string
  readonly expected: Expected
  readonly events: Array<Proposed>
}

/** BatchAppend: many appends in one call, each in one or more requests of one correlation id. */
export const makeBatchAppend = (
  log: ServerLog,
  faultState: LogFaults
): handleBidiStreamingCall<BatchAppendReq, BatchAppendResp> =>
(call) => {
  const pending = new Map<string, Pending>()

  call.on("data", (request: BatchAppendReq) => {
    const refused = unauthenticated(faultState, call.metadata)
    if (refused !== undefined) return call.emit("error", refused)
    const key = request.getCorrelationId()?.getString() ?? ""
    const options = request.getOptions()
    if (options !== undefined) {
      pending.set(key, { stream: nameOf(options.getStreamIdentifier()), expected: expectedOf(options), events: [] })
    }
    const append = pending.get(key)
    if (append === undefined) return
    const response = new streams.BatchAppendResp()
    response.setCorrelationId(request.getCorrelationId())
    response.setStreamIdentifier(identifierOf(append.stream))
    append.events.push(...request.getProposedMessagesList().map(proposedOf))
    if (sizeOf(append.events) > MAX_APPEND) {
      pending.delete(key)
      response.setError(tooLarge())
      return call.write(response)
    }
    if (!request.getIsFinal()) return
    pending.delete(key)
    if (faultState.faults.denyAppends > 0) {
      faultState.faults.denyAppends--
      response.setError(errorOf("AccessDenied", status.PERMISSION_DENIED, new shared.AccessDenied().serializeBinary()))
      return call.write(response)
    }
    const unhandled = notHandled(faultState, call.metadata)
    if (unhandled !== undefined) {
      // The server ends the whole call when it knows another leader, and answers the append otherwise.
      if (unhandled.leader !== undefined) return call.emit("error", notHandledError(unhandled))
      response.setError(notHandledStatus(unhandled.message))
      return call.write(response)
    }
    if (faultState.faults.timeOut > 0) {
      faultState.faults.timeOut--
      response.setError(timeout())
      return call.write(response)
    }
    const outcome = log.append(append.stream, append.expected, append.events)
    if (outcome._tag === "IdempotentNotReady") {
      // The server waits for a commit that it has already seen, also after the equal append is in the index.
      response.setError(timeout())
      return void setTimeout(() => call.write(response), faultState.faults.commitTimeoutMillis)
    }
    if (outcome._tag === "StreamDeleted") {
      response.setError(streamDeleted(append.stream))
      return call.write(response)
    }
    fill(response, outcome, append.expected)
    log.whenIndexed(() => answerAppend(faultState, () => call.write(response)))
  })
  call.on("end", () => call.end())
}

const expectedOf = (options: BatchAppendReq.Options): Expected => {
  if (options.hasStreamPosition()) return Number(options.getStreamPosition())
  return options.hasNoStream() ? "no-stream" : options.hasStreamExists() ? "stream-exists" : "any"
}

type Decided = Exclude<Outcome, { readonly _tag: "IdempotentNotReady" | "StreamDeleted" }>

const fill = (response: BatchAppendResp, outcome: Decided, expected: Expected): void => {
  const none = new empty.Empty()
  if (outcome._tag === "Appended") {
    const success = new streams.BatchAppendResp.Success()
    if (outcome.revision < 0) success.setNoStream(none)
    else success.setCurrentRevision(String(outcome.revision))
    if (outcome.position === undefined) success.setNoPosition(none)
    else success.setPosition(setPosition(new shared.AllStreamPosition(), outcome.position))
    response.setSuccess(success)
    return
  }
  const wrong = new shared.WrongExpectedVersion()
  if (outcome.current < 0) wrong.setCurrentNoStream(none)
  else wrong.setCurrentStreamRevision(String(outcome.current))
  if (expected === "any") wrong.setExpectedAny(none)
  else if (expected === "no-stream") wrong.setExpectedNoStream(none)
  else if (expected === "stream-exists") wrong.setExpectedStreamExists(none)
  else wrong.setExpectedStreamPosition(String(expected))
  response.setError(errorOf("WrongExpectedVersion", status.ALREADY_EXISTS, wrong.serializeBinary()))
}

const timeout = () => errorOf("Timeout", status.DEADLINE_EXCEEDED, new shared.Timeout().serializeBinary())

const streamDeleted = (stream: string) => {
  const deleted = new shared.StreamDeleted()
  deleted.setStreamIdentifier(identifierOf(stream))
  return errorOf("StreamDeleted", status.NOT_FOUND, deleted.serializeBinary())
}

/** Its details are empty. */
const notHandledStatus = (message: string) => {
  const packed = new any.Any()
  packed.pack(new empty.Empty().serializeBinary(), "google.protobuf.Empty")
  const error = new statuses.Status()
  error.setMessage(message)
  error.setDetails(packed)
  return error
}

const tooLarge = () => {
  const exceeded = new shared.MaximumAppendSizeExceeded()
  exceeded.setMaxappendsize(MAX_APPEND)
  return errorOf("MaximumAppendSizeExceeded", status.INVALID_ARGUMENT, exceeded.serializeBinary())
}

const errorOf = (name: string, code: number, details: Uint8Array) => {
  const packed = new any.Any()
  packed.pack(details, `event_store.client.${name}`)
  const error = new statuses.Status()
  error.setCode(code)
  error.setMessage(name)
  error.setDetails(packed)
  return error
}
