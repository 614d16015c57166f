import type { BatchAppendResp } from "@eventstore/db-client/generated/streams_pb.js"
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
  let current: Promise<OpenCall> | undefined
  let isClosed = false

  const open = (): Promise<OpenCall> => {
    const forget = (): void => {
      if (current === opening) current = undefined
    }
    const opening = openCall(connection, forget)
    opening.catch(forget)
    return opening
  }

  return {
    send: (append) =>
      Effect.flatMap(
        Effect.tryPromise(() => isClosed ? Promise.reject(new Error("the connection is closed")) : current ??= open()),
        ({ send }) => Effect.callback<AppendOutcome, Cause.UnknownError>((resume) => send(append, resume))
      ),
    close: () => {
      isClosed = true
      current?.then(({ cancel }) => cancel()).catch(() => {})
    }
  }
}

type Resume = (outcome: Effect.Effect<AppendOutcome, Cause.UnknownError>) => void

interface OpenCall {
  /** Resumes with the answer; the effect is for those who wait no longer. */
  readonly send: (append: Append, resume: Resume) => Effect.Effect<void>
  readonly cancel: () => void
}

const openCall = async (connection: Connection, onEnd: () => void): Promise<OpenCall> => {
  const pending = new Map<string, Resume>()
  let failure: Cause.UnknownError | undefined

  const end = (cause: unknown): void => {
    failure = new Cause.UnknownError(cause)
    onEnd()
    for (const resume of pending.values()) resume(Effect.fail(failure))
    pending.clear()
  }
  const call = await connection.batchAppend((opened) => {
    opened.on("data", (response: BatchAppendResp) => {
      const key = response.getCorrelationId()?.getString() ?? ""
      // Nobody may wait any more: an answer can come after the caller's patience has ended.
      pending.get(key)?.(Effect.sync(() => outcomeOfBatch(response)))
      pending.delete(key)
    })
    opened.on("error", end)
    opened.on("end", () => end(new Error("the server ended the call")))
  })
  return {
    send: (append, resume) => {
      // It may have broken off while the append was on its way here.
      if (failure !== undefined) {
        resume(Effect.fail(failure))
        return Effect.void
      }
      const key = randomUUID()
      pending.set(key, resume)
      call.write(batchAppendRequest(key, append))
      return Effect.sync(() => {
        pending.delete(key)
      })
    },
    cancel: () => call.cancel()
  }
}
