import type { ReadReq, ReadResp } from "@eventstore/db-client/generated/streams_pb.js"
import type { ServerWritableStream } from "@grpc/grpc-js"
import { afterEvent, type LogFaults } from "./faults.ts"
import type { Logged, LogPosition } from "./log.ts"
import { eventMessage } from "./messages.ts"

export type ReadCall = ServerWritableStream<ReadReq, ReadResp>

/** Sends a message, and waits while the client's buffer is full. */
export const send = async (call: ReadCall, message: ReadResp): Promise<void> => {
  if (call.write(message) || call.cancelled) return
  await new Promise<void>((resume) => {
    const done = () => {
      call.off("drain", done).off("cancelled", done).off("close", done)
      resume()
    }
    call.on("drain", done).on("cancelled", done).on("close", done)
  })
}

export const sendEvent = async (call: ReadCall, faultState: LogFaults, event: Logged): Promise<void> => {
  await send(call, eventMessage(event))
  afterEvent(faultState)
}

export const filterOf = (options: ReadReq.Options): (event: Logged) => boolean => {
  const filter = options.getFilter()
  const expression = filter?.getEventType() ?? filter?.getStreamIdentifier()
  if (filter === undefined || expression === undefined) return () => true
  const textOf = filter.hasEventType() ? ({ type }: Logged) => type : ({ stream }: Logged) => stream
  const regex = expression.getRegex() === "" ? undefined : new RegExp(expression.getRegex(), "u")
  const prefixes = expression.getPrefixList()
  return (event) => regex?.test(textOf(event)) ?? prefixes.some((prefix) => textOf(event).startsWith(prefix))
}

export const positionOf = (options: ReadReq.Options): LogPosition => {
  const position = options.getAll()?.getPosition()
  return {
    commit: BigInt(position?.getCommitPosition() ?? 0),
    prepare: BigInt(position?.getPreparePosition() ?? 0)
  }
}
