import shared from "@eventstore/db-client/generated/shared_pb.js"
import streams from "@eventstore/db-client/generated/streams_pb.js"
import type { AppendReq, AppendResp } from "@eventstore/db-client/generated/streams_pb.js"
import { type handleClientStreamingCall, type ServiceError, status } from "@grpc/grpc-js"
import { answerAppend, refusedCall, type Trouble } from "./faults.ts"
import type { Expected, Outcome, Proposed, ServerLog } from "./log.ts"
import { MAX_APPEND, nameOf, proposedOf, setPosition, sizeOf } from "./messages.ts"
import { refusal } from "./refusal.ts"

/** Append: the options first, then the events one by one, and one answer when the client has ended. */
export const makeAppend =
  (log: ServerLog, trouble: Trouble): handleClientStreamingCall<AppendReq, AppendResp> => (call, answer) => {
    const events: Array<Proposed> = []
    let options: AppendReq.Options | undefined
    let failure: Partial<ServiceError> | undefined = refusedCall(trouble, call.metadata)

    call.on("data", (request: AppendReq) => {
      if (request.hasOptions()) {
        options = request.getOptions()
        return
      }
      try {
        events.push(proposedOf(request.getProposedMessage()))
      } catch (error) {
        failure ??= error as ServiceError
      }
      if (sizeOf(events) > MAX_APPEND) {
        failure ??= refusal(status.INVALID_ARGUMENT, `Maximum Append Size of ${MAX_APPEND} Exceeded.`, {
          exception: "maximum-append-size-exceeded",
          "maximum-append-size": String(MAX_APPEND)
        })
      }
    })
    call.on("end", () => {
      if (failure !== undefined || options === undefined) {
        return answer(failure ?? refusal(status.INVALID_ARGUMENT, "no options"))
      }
      const expected = expectedOf(options)
      const outcome = log.append(nameOf(options.getStreamIdentifier()), expected, events)
      answerAppend(trouble, () => answer(null, responseOf(outcome, expected)))
    })
  }

const expectedOf = (options: AppendReq.Options): Expected => {
  if (options.hasRevision()) return Number(options.getRevision())
  return options.hasNoStream() ? "no-stream" : options.hasStreamExists() ? "stream-exists" : "any"
}

const responseOf = (outcome: Outcome, expected: Expected): AppendResp => {
  const response = new streams.AppendResp()
  const none = new shared.Empty()
  if (outcome._tag === "Appended") {
    const success = new streams.AppendResp.Success()
    if (outcome.revision < 0) success.setNoStream(none)
    else success.setCurrentRevision(String(outcome.revision))
    if (outcome.position === undefined) success.setNoPosition(none)
    else success.setPosition(setPosition(new streams.AppendResp.Position(), outcome.position))
    response.setSuccess(success)
    return response
  }
  const wrong = new streams.AppendResp.WrongExpectedVersion()
  if (outcome.current < 0) wrong.setCurrentNoStream(none)
  else wrong.setCurrentRevision(String(outcome.current))
  if (expected === "any") wrong.setExpectedAny(none)
  else if (expected === "no-stream") wrong.setExpectedNoStream(none)
  else if (expected === "stream-exists") wrong.setExpectedStreamExists(none)
  else wrong.setExpectedRevision(String(expected))
  response.setWrongExpectedVersion(wrong)
  return response
}
