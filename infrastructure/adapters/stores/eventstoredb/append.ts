import { Buffer } from "node:buffer"
import { randomUUID } from "node:crypto"
import shared from "@eventstore/db-client/generated/shared_pb.js"
import streams from "@eventstore/db-client/generated/streams_pb.js"
import type { BatchAppendResp } from "@eventstore/db-client/generated/streams_pb.js"
import { status } from "@grpc/grpc-js"
import { Cause, Effect, Result } from "effect"
import type { NewEvent, Position } from "../../../../domain/events/recorded-event.ts"
import type { Appended, ExpectedRevision } from "../../../../ports/event-store.ts"
import { channelReplaced, type Connection, isUnhandled, MOST_REPEATS } from "./connection.ts"
import { encodeMessage, type Field, field, MessageReader } from "./protobuf.ts"
import { positionIn, StreamIdentifier, textIn, UUID } from "./read-answer.ts"

/** An append whose events are already JSON, so that their size is known before they are sent. */
export interface Append {
  readonly stream: string
  readonly expected: ExpectedRevision
  readonly events: ReadonlyArray<JsonEvent>
}

interface JsonEvent {
  readonly id: string
  readonly type: string
  readonly data: Buffer
  readonly metadata: Buffer
}

export const toAppend = (stream: string, expected: ExpectedRevision, events: ReadonlyArray<NewEvent>): Append => ({
  stream,
  expected,
  events: events.map(({ data, id, metadata, type }) => ({
    id,
    type,
    data: Buffer.from(JSON.stringify(data)),
    metadata: Buffer.from(JSON.stringify(metadata))
  }))
})

/** In bytes, as the server counts them against its limit. */
export const sizeOf = ({ events }: Append): number =>
  events.reduce((bytes, { data, metadata, type }) => bytes + data.length + metadata.length + type.length * 2, 0)

/** The server's answer to an append. */
export type AppendOutcome =
  | { readonly _tag: "Appended"; readonly appended: Appended }
  | { readonly _tag: "WrongRevision"; readonly actual: ExpectedRevision }
  | { readonly _tag: "TooLarge"; readonly limit: number | undefined }
  /** The server stopped waiting for its own commit, so the events may be in the log. `send` does not return it. */
  | { readonly _tag: "TimedOut"; readonly error: ServerError }
  /** Any other error, with gRPC's code and the server's message. */
  | { readonly _tag: "Failed"; readonly error: ServerError }

type ServerError = Error & { readonly code: number }

/** Sends appends. */
export interface Appender {
  /**
   * Waits for the answer without a time limit, and sends the append again from time to time. Of two equal appends at the
   * same time, a server answers one only with `Timeout` after its commit timeout of two seconds, because the events of the
   * other are not yet in its index. A later try gets the answer of the other append, whose events have the same ids.
   * An append that no server has handled is sent again at once. Fails with the error that broke the call.
   */
  readonly send: (append: Append) => Effect.Effect<AppendOutcome, Cause.UnknownError>
  readonly close: () => void
}

/**
 * Sends all appends through one call that stays open, which is two to three times as fast as a call for each. When the
 * call breaks, every pending append fails with unknown outcome, and the next append opens another call. An append without
 * an answer is sent again every `againMillis`.
 */
export const makeAppender = (connection: Connection, againMillis: number): Appender => {
  let current: Promise<OpenCall> | undefined
  let isClosed = false

  const open = (): Promise<OpenCall> => {
    const clearCurrent = (): void => {
      if (current === opening) current = undefined
    }
    const opening = openCall(connection, clearCurrent)
    opening.catch(clearCurrent)
    return opening
  }

  const opened = (): Promise<OpenCall> =>
    isClosed ? Promise.reject(new Error("the connection is closed")) : current ??= open()

  /** The returned effect cancels the wait. */
  const sendUntilAnswered = (first: OpenCall, append: Append, resume: Resume): Effect.Effect<void> => {
    const cancels: Array<() => void> = []
    let isOver = false
    const stop = (): void => {
      isOver = true
      clearInterval(timer)
      for (const cancel of cancels) cancel()
    }
    let repeats = 0
    const answered = (answer: Answer): void => {
      const isError = answer instanceof Cause.UnknownError
      if (!isError && answer._tag === "TimedOut") return
      if (isError && repeats < MOST_REPEATS && isUnhandled(answer.cause)) {
        repeats++
        return void channelReplaced().then(sendAgain)
      }
      stop()
      resume(isError ? Effect.fail(answer) : Effect.succeed(answer))
    }
    const send = (call: OpenCall): void => {
      // Nothing is sent once the caller has an answer, also the one that the outcome is unknown.
      if (!isOver) cancels.push(call.send(append, answered))
    }
    const sendAgain = (): void => {
      opened().then(send, (cause) => answered(new Cause.UnknownError(cause)))
    }
    const timer = setInterval(sendAgain, againMillis)
    send(first)
    return Effect.sync(stop)
  }

  return {
    send: (append) =>
      Effect.flatMap(
        Effect.tryPromise(opened),
        (call) =>
          Effect.callback<AppendOutcome, Cause.UnknownError>((resume) => sendUntilAnswered(call, append, resume))
      ),
    close: () => {
      isClosed = true
      current?.then(({ cancel }) => cancel()).catch(() => {})
    }
  }
}

type Resume = (outcome: Effect.Effect<AppendOutcome, Cause.UnknownError>) => void

/** What came back for one message: the server's answer, or the error that broke the call. */
type Answer = AppendOutcome | Cause.UnknownError

interface OpenCall {
  /** Calls `answered` once, and later than this returns. The returned function cancels the wait. */
  readonly send: (append: Append, answered: (answer: Answer) => void) => () => void
  readonly cancel: () => void
}

const openCall = async (connection: Connection, onEnd: () => void): Promise<OpenCall> => {
  const pending = new Map<string, (answer: Answer) => void>()
  let failure: Cause.UnknownError | undefined

  const end = (cause: unknown): void => {
    failure = new Cause.UnknownError(cause)
    onEnd()
    for (const answered of pending.values()) answered(failure)
    pending.clear()
  }
  const call = await connection.batchAppend((opened) => {
    opened.on("data", (bytes: Buffer) => {
      const answer = Result.try({ try: () => decodeAppendAnswer(bytes), catch: (cause) => cause })
      if (Result.isFailure(answer)) {
        end(answer.failure)
        return opened.cancel()
      }
      const { correlationId, outcome } = answer.success
      // The id is unknown when the caller's time limit passed before the answer came.
      pending.get(correlationId)?.(outcome)
      pending.delete(correlationId)
    })
    opened.on("error", end)
    opened.on("end", () => end(new Error("the server ended the call")))
  })
  return {
    send: (append, answered) => {
      const key = randomUUID()
      const broken = failure
      // The call may have broken since the caller received it.
      if (broken !== undefined) {
        queueMicrotask(() => answered(broken))
        return () => {}
      }
      pending.set(key, answered)
      call.write(encodeAppend(key, append))
      return () => void pending.delete(key)
    },
    cancel: () => call.cancel()
  }
}

/** Encodes a `BatchAppendReq`. The server returns `correlationId` in its answer. */
export const encodeAppend = (correlationId: string, { events, expected, stream }: Append): Buffer =>
  encodeMessage([
    field(Request.correlationId, uuid(correlationId)),
    field(Request.options, [
      field(Options.stream, [field(StreamIdentifier.name, stream)]),
      expected === "no-stream" ? field(Options.noStream, []) : field(Options.revision, expected)
    ]),
    ...events.map(({ data, id, metadata, type }) =>
      field(Request.proposed, [
        field(Proposed.id, uuid(id)),
        field(Proposed.properties, [field(1, "type"), field(2, type)]),
        field(Proposed.properties, [field(1, "content-type"), field(2, "application/json")]),
        field(Proposed.metadata, metadata),
        field(Proposed.data, data)
      ])
    ),
    field(Request.isFinal, 1)
  ])

const uuid = (id: string): ReadonlyArray<Field> => [field(UUID.string, id)]

// The numbers of the fields in streams.proto.
const Request = { correlationId: 1, options: 2, proposed: 3, isFinal: 4 } as const
const Options = { stream: 1, revision: 2, noStream: 3 } as const
const Proposed = { id: 1, properties: 2, metadata: 3, data: 4 } as const
const Response = { correlationId: 1, success: 3 } as const
const Success = { revision: 1, position: 3 } as const

/** Decodes a `BatchAppendResp`. */
export const decodeAppendAnswer = (
  bytes: Buffer
): { readonly correlationId: string; readonly outcome: AppendOutcome } => {
  const answer = new MessageReader(bytes)
  let correlationId = ""
  let outcome: AppendOutcome | undefined
  while (answer.next()) {
    if (answer.field === Response.correlationId) correlationId = textIn(answer.message(), UUID.string)
    else if (answer.field === Response.success) outcome = success(answer.message())
  }
  return { correlationId, outcome: outcome ?? failureOf(streams.BatchAppendResp.deserializeBinary(bytes)) }
}

const success = (message: MessageReader): AppendOutcome => {
  let revision = 0
  let position: Position | undefined
  while (message.next()) {
    if (message.field === Success.revision) revision = message.number()
    else if (message.field === Success.position) position = positionIn(message.message())
  }
  if (position !== undefined) return { _tag: "Appended", appended: { revision, position } }
  const error = serverError(status.UNAVAILABLE, "the server did not return the position of the events")
  return { _tag: "Failed", error }
}

/** Refused appends are rare, so the generated classes decode them. */
const failureOf = (response: BatchAppendResp): AppendOutcome => {
  const error = response.getError()
  const details = error?.getDetails()
  const wrong = details?.unpack(
    (bytes) => shared.WrongExpectedVersion.deserializeBinary(bytes),
    `${PACKAGE}.WrongExpectedVersion`
  )
  if (wrong) {
    const actual = wrong.hasCurrentStreamRevision() ? Number(wrong.getCurrentStreamRevision()) : "no-stream"
    return { _tag: "WrongRevision", actual }
  }
  const name = details?.getTypeName() ?? ""
  if (name === `${PACKAGE}.MaximumAppendSizeExceeded`) {
    const exceeded = details?.unpack((bytes) => shared.MaximumAppendSizeExceeded.deserializeBinary(bytes), name)
    return { _tag: "TooLarge", limit: exceeded?.getMaxappendsize() }
  }
  const message = `the server answered ${`${name.replace(`${PACKAGE}.`, "")} ${error?.getMessage() ?? ""}`.trim()}`
  // Other calls report the same errors as gRPC codes.
  if (name === `${PACKAGE}.Timeout`) return { _tag: "TimedOut", error: serverError(status.DEADLINE_EXCEEDED, message) }
  return { _tag: "Failed", error: serverError(CODES.get(name) ?? status.UNAVAILABLE, message) }
}

const PACKAGE = "event_store.client"

const CODES: ReadonlyMap<string, number> = new Map([
  [`${PACKAGE}.AccessDenied`, status.PERMISSION_DENIED],
  [`${PACKAGE}.StreamDeleted`, status.FAILED_PRECONDITION]
])

const serverError = (code: number, message: string): ServerError => Object.assign(new Error(message), { code })
