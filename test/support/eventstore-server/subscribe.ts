import type { ReadReq } from "@eventstore/db-client/generated/streams_pb.js"
import { randomUUID } from "node:crypto"
import type { LogFaults } from "./faults.ts"
import type { ServerLog } from "./log.ts"
import { caughtUpMessage, checkpointMessage, confirmationMessage, nameOf } from "./messages.ts"
import { filterOf, positionOf, type ReadCall, send, sendEvent } from "./read-call.ts"

/** The number of events that the server reads at once. It is the unit of the checkpoint interval. */
const READ_BATCH = 32

/**
 * Sends existing events and then new ones, without the event at the given position. A filtered subscription to `$all`
 * gets a checkpoint when it becomes live, and after every 32 × interval events that were read.
 */
export const subscribe = async (
  log: ServerLog,
  faultState: LogFaults,
  call: ReadCall,
  options: ReadReq.Options
): Promise<void> => {
  const stream = options.getStream()
  const source = () => stream === undefined ? log.all : log.stream(nameOf(stream.getStreamIdentifier())) ?? []
  const matches = filterOf(options)
  const every = READ_BATCH * (options.getFilter()?.getCheckpointintervalmultiplier() ?? 0)
  const signal = makeSignal()
  const stopListening = log.onAppend(signal.raise)
  call.on("cancelled", signal.raise).on("close", signal.raise)
  try {
    await send(call, confirmationMessage(randomUUID()))
    let readEvents = 0
    let isLive = false
    for (let at = startOf(log, source().length, options); !call.cancelled && !call.destroyed;) {
      const event = source()[at]
      if (event !== undefined) {
        at++
        if (matches(event)) await sendEvent(call, faultState, event)
        if (every > 0 && ++readEvents % every === 0) await send(call, checkpointMessage(event))
      } else if (isLive) {
        await signal.raised()
      } else {
        isLive = true
        const last = source().at(-1)
        if (every > 0 && last !== undefined) await send(call, checkpointMessage(last))
        // A real server may say so more than once.
        await send(call, caughtUpMessage())
        await send(call, caughtUpMessage())
      }
    }
  } finally {
    stopListening()
  }
}

const startOf = (log: ServerLog, length: number, options: ReadReq.Options): number => {
  const from = options.getAll() ?? options.getStream()
  if (from?.hasStart()) return 0
  if (from?.hasEnd()) return length
  if (!options.hasAll()) return Number(options.getStream()?.getRevision()) + 1
  const { commit, prepare } = positionOf(options)
  return log.indexAt({ commit, prepare: prepare + 1n })
}

/** Level-triggered: when it is raised without a waiter, the next waiter passes. */
const makeSignal = () => {
  let isRaised = false
  let wake: (() => void) | undefined
  return {
    raise: () => {
      isRaised = true
      wake?.()
    },
    raised: async () => {
      if (!isRaised) {
        await new Promise<void>((resume) => {
          wake = resume
        })
      }
      isRaised = false
      wake = undefined
    }
  }
}
