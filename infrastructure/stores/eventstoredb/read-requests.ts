import { Buffer } from "node:buffer"
import shared from "@eventstore/db-client/generated/shared_pb.js"
import streams from "@eventstore/db-client/generated/streams_pb.js"
import type { ReadReq } from "@eventstore/db-client/generated/streams_pb.js"
import { beginning, isBefore, type Position } from "../../../domain/events/recorded-event.ts"

const { Options } = streams.ReadReq

/** Events of one stream from a revision on, oldest first. */
export const readStreamRequest = (stream: string, from: number, limit: number): ReadReq =>
  requestOf((options) => {
    const of = new Options.StreamOptions()
    of.setStreamIdentifier(streamIdentifier(stream))
    of.setRevision(String(from))
    options.setStream(of)
    options.setCount(String(limit))
    options.setNoFilter(new shared.Empty())
  })

/** Events of streams with these prefixes, in the global order. The event at `from` itself comes too. */
export const readAllRequest = (prefixes: ReadonlyArray<string>, from: Position, limit: number): ReadReq =>
  requestOf((options) => {
    options.setAll(allFrom(from))
    options.setCount(String(limit))
    options.setFilter(filterOf(prefixes))
  })

/** The last event of streams with these prefixes. */
export const readLastRequest = (prefixes: ReadonlyArray<string>): ReadReq =>
  requestOf((options) => {
    const all = new Options.AllOptions()
    all.setEnd(new shared.Empty())
    options.setAll(all)
    options.setReadDirection(Options.ReadDirection.BACKWARDS)
    options.setCount("1")
    options.setFilter(filterOf(prefixes))
  })

/** The same events as `readAllRequest` and then whatever is appended, without the event at `after`. */
export const subscribeRequest = (prefixes: ReadonlyArray<string>, after: Position): ReadReq =>
  requestOf((options) => {
    options.setAll(allFrom(after))
    options.setSubscription(new Options.SubscriptionOptions())
    options.setFilter(filterOf(prefixes))
  })

export const streamIdentifier = (stream: string) => {
  const identifier = new shared.StreamIdentifier()
  identifier.setStreamName(Buffer.from(stream, "utf8"))
  return identifier
}

const requestOf = (fill: (options: ReadReq.Options) => void): ReadReq => {
  const options = new Options()
  const ids = new Options.UUIDOption()
  ids.setString(new shared.Empty())
  options.setUuidOption(ids)
  fill(options)
  const request = new streams.ReadReq()
  request.setOptions(options)
  return request
}

const allFrom = (position: Position) => {
  const all = new Options.AllOptions()
  if (!isBefore(beginning, position)) {
    all.setStart(new shared.Empty())
    return all
  }
  const at = new Options.Position()
  at.setCommitPosition(String(position.commit))
  at.setPreparePosition(String(position.prepare))
  all.setPosition(at)
  return all
}

const filterOf = (prefixes: ReadonlyArray<string>) => {
  const expression = new Options.FilterOptions.Expression()
  expression.setPrefixList([...prefixes])
  const filter = new Options.FilterOptions()
  filter.setStreamIdentifier(expression)
  filter.setCount(new shared.Empty())
  filter.setCheckpointintervalmultiplier(CHECKPOINT_EVERY)
  return filter
}

/** In units of 32 events that the server looked at, whether they passed the filter or not. */
const CHECKPOINT_EVERY = 32
