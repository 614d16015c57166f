import type { BatchAppendReq, BatchAppendResp } from "@eventstore/db-client/generated/streams_pb.js"
import type { ClientDuplexStream } from "@grpc/grpc-js"
import { Cause, Effect } from "effect"
import { randomUUID } from "node:crypto"
import { type AppendOutcome, outcomeOfBatch, outcomeOfSingle } from "./append-outcome.ts"
import { type Append, appendRequests, batchAppendRequest } from "./append-requests.ts"
import type { Connection } from "./connection.ts"

/** Sends an append and waits for the answer, for ever if need be. Fails with whatever kept the answer away. */
export interface Appender {
  readonly send: (append: Append) => Effect.Effect<AppendOutcome, Cause.UnknownError>
  readonly close: () => void
}

/** Every append in a call of its own: for servers that offer no batch append. */
export const makeSingleAppender = (connection: Connection, deadlineMillis: number): Appender => ({
  send: (append) =>
    Effect.tryPromise(async () => outcomeOfSingle(await connection.append(appendRequests(append), deadlineMillis))),
  close: () => {}
})

/**
 * All appends through one call that stays open: two to three times as fast one after the other. When the call breaks,
 * every append that waits for an answer from it fails, with unknown outcome, and the next one opens another.
 */
export const makeBatchAppender = (connection: Connection): Appender => {
  let current: Promise<BatchCall> | undefined
  let isClosed = false

  const open = (): Promise<BatchCall> => {
    const opening = openCall(connection, () => {
      if (current === opening) current = undefined
    })
    opening.catch(() => {
      if (current === opening) current = undefined
    })
    return opening
  }

  return {
    send: (append) =>
      Effect.flatMap(
        Effect.tryPromise(() => isClosed ? Promise.reject(new Error("the connection is closed")) : current ??= open()),
        ({ call, pending }) =>
          Effect.callback<AppendOutcome, Cause.UnknownError>((resume) => {
            const key = randomUUID()
            pending.set(key, resume)
            call.write(batchAppendRequest(key, append))
            return Effect.sync(() => {
              pending.delete(key)
            })
          })
      ),
    close: () => {
      isClosed = true
      current?.then(({ call }) => call.cancel()).catch(() => {})
    }
  }
}

interface BatchCall {
  readonly call: ClientDuplexStream<BatchAppendReq, BatchAppendResp>
  readonly pending: Map<string, (outcome: Effect.Effect<AppendOutcome, Cause.UnknownError>) => void>
}

const openCall = async (connection: Connection, onEnd: () => void): Promise<BatchCall> => {
  const call = await connection.batchAppend()
  const pending: BatchCall["pending"] = new Map()
  const settle = (key: string, outcome: Effect.Effect<AppendOutcome, Cause.UnknownError>): void => {
    const resume = pending.get(key)
    // Nobody may wait any more: an answer can come after the caller's patience has ended.
    pending.delete(key)
    resume?.(outcome)
  }
  const end = (cause: unknown): void => {
    onEnd()
    for (const key of [...pending.keys()]) settle(key, Effect.fail(new Cause.UnknownError(cause)))
  }
  call.on("data", (response: BatchAppendResp) => {
    settle(response.getCorrelationId()?.getString() ?? "", Effect.sync(() => outcomeOfBatch(response)))
  })
  call.on("error", end)
  call.on("end", () => end(new Error("the server ended the call")))
  return { call, pending }
}
