import shared from "@eventstore/db-client/generated/shared_pb.js"
import type { AppendResp, BatchAppendResp } from "@eventstore/db-client/generated/streams_pb.js"
import { status } from "@grpc/grpc-js"
import type { Position } from "../../../domain/events/recorded-event.ts"
import type { Appended, ExpectedRevision } from "../../../ports/event-store.ts"

/** What the server says to an append that reached it. */
export type AppendOutcome =
  | { readonly _tag: "Appended"; readonly appended: Appended }
  | { readonly _tag: "WrongRevision"; readonly actual: ExpectedRevision }
  | { readonly _tag: "TooLarge"; readonly limit: number | undefined }
  /** Neither yes nor no; with gRPC's code and the server's words. */
  | { readonly _tag: "Failed"; readonly error: Error & { readonly code: number } }

export const outcomeOfBatch = (response: BatchAppendResp): AppendOutcome => {
  const success = response.getSuccess()
  if (success !== undefined) return appendedAt(success.getCurrentRevision(), success.getPosition())
  const error = response.getError()
  const details = error?.getDetails()
  const wrong = details?.unpack(
    (bytes) => shared.WrongExpectedVersion.deserializeBinary(bytes),
    `${PACKAGE}.WrongExpectedVersion`
  )
  if (wrong) return wrongRevision(wrong.hasCurrentStreamRevision() ? wrong.getCurrentStreamRevision() : undefined)
  const name = details?.getTypeName() ?? ""
  if (name === `${PACKAGE}.MaximumAppendSizeExceeded`) {
    const exceeded = details?.unpack((bytes) => shared.MaximumAppendSizeExceeded.deserializeBinary(bytes), name)
    return { _tag: "TooLarge", limit: exceeded?.getMaxappendsize() }
  }
  const said = `${name.replace(`${PACKAGE}.`, "")} ${error?.getMessage() ?? ""}`.trim()
  return { _tag: "Failed", error: failure(CODES.get(name) ?? status.UNAVAILABLE, `the server answered ${said}`) }
}

export const outcomeOfSingle = (response: AppendResp): AppendOutcome => {
  const success = response.getSuccess()
  if (success !== undefined) return appendedAt(success.getCurrentRevision(), success.getPosition())
  const wrong = response.getWrongExpectedVersion()
  if (wrong !== undefined) return wrongRevision(wrong.hasCurrentRevision() ? wrong.getCurrentRevision() : undefined)
  return { _tag: "Failed", error: failure(status.UNAVAILABLE, "the server answered nothing that is known") }
}

const PACKAGE = "event_store.client"

/** What a batch append answers in a message is said by a code elsewhere. */
const CODES: ReadonlyMap<string, number> = new Map([
  [`${PACKAGE}.Timeout`, status.DEADLINE_EXCEEDED],
  [`${PACKAGE}.AccessDenied`, status.PERMISSION_DENIED]
])

interface WirePosition {
  readonly getCommitPosition: () => string
  readonly getPreparePosition: () => string
}

/** Both numbers of a position as they stand in a message. */
export const positionOf = (position: WirePosition): Position => ({
  commit: BigInt(position.getCommitPosition()),
  prepare: BigInt(position.getPreparePosition())
})

const appendedAt = (revision: string, position: WirePosition | undefined): AppendOutcome =>
  position === undefined
    ? { _tag: "Failed", error: failure(status.UNAVAILABLE, "the server did not say where the events stand") }
    : { _tag: "Appended", appended: { revision: Number(revision), position: positionOf(position) } }

const wrongRevision = (current: string | undefined): AppendOutcome => ({
  _tag: "WrongRevision",
  actual: current === undefined ? "no-stream" : Number(current)
})

const failure = (code: number, message: string) => Object.assign(new Error(message), { code })
