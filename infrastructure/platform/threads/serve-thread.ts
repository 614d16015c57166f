import { constants, getPriority, setPriority } from "node:os"
import { parentPort, workerData } from "node:worker_threads"
import { type Packed, unpack } from "./large-arrays.ts"

// This module is the part of the harness that runs inside a thread. It loads no Effect.

/** The functions of a thread for its owner, the thread that started it (`startThread`). */
export interface ThreadHandlers<Ready, Question, Answer, Progress> {
  /** Sent to the owner once the thread can answer. */
  readonly ready: Ready
  /** Called for each question in order, without waiting for the previous answer. An exception fails the question. */
  readonly answer: (question: Question, progress: (progress: Progress) => void) => Answer | Promise<Answer>
  /** Buffers of an answer that move to the owner instead of being copied. */
  readonly transfer?: (answer: Answer) => ReadonlyArray<ArrayBuffer>
  /** Called once, after every question was answered. An exception is ignored. */
  readonly close?: () => void
}

/** A message to a thread. */
export type ToThread<Question> =
  | { readonly _tag: "Ask"; readonly key: number } & Packed<Question>
  /** The last message: it follows all questions. */
  | { readonly _tag: "Close" }

/** A message from a thread. */
export type FromThread<Ready, Answer, Progress> =
  | { readonly _tag: "Ready"; readonly ready: Ready }
  | { readonly _tag: "OpenFailed"; readonly message: string }
  | { readonly _tag: "Progress"; readonly key: number; readonly progress: Progress }
  | { readonly _tag: "Answered"; readonly key: number; readonly answer: Answer }
  | { readonly _tag: "Failed"; readonly key: number; readonly message: string }
  /** The thread has released its resources. The owner terminates it: on Deno a thread can't end itself. */
  | { readonly _tag: "Closed" }

export interface ServeOptions {
  /** Other threads get the processors first. For long work that must not delay the answers to other requests. */
  readonly inBackground?: boolean
}

/** How much lower. The thread that started this one gets three times its share of a processor. */
const BACKGROUND = 5

/** Only Linux has priorities of threads; 0 names the calling thread. Threads that it starts inherit the priority. */
const lowerPriority = (): void => {
  if (process.platform === "linux") {
    setPriority(0, Math.min(constants.priority.PRIORITY_LOW, getPriority(0) + BACKGROUND))
  }
}

/**
 * Runs a worker thread: opens it with the owner's `data`, then answers questions until the owner closes it. Both the
 * module that calls this and the owner name the same types.
 */
export const serveThread = <Data, Ready, Question, Answer, Progress = never>(
  open: (data: Data) => ThreadHandlers<Ready, Question, Answer, Progress>,
  { inBackground = false }: ServeOptions = {}
): void => {
  const port = parentPort
  if (port === null) throw new Error("this module runs in a worker thread only")
  if (inBackground) lowerPriority()
  const post = (message: FromThread<Ready, Answer, Progress>): void => port.postMessage(message)

  const start = (handlers: ThreadHandlers<Ready, Question, Answer, Progress>): void => {
    const running = new Set<Promise<void>>()
    const postAnswer = (key: number, answer: Answer): void => {
      const message: FromThread<Ready, Answer, Progress> = { _tag: "Answered", key, answer }
      port.postMessage(message, [...handlers.transfer?.(answer) ?? []])
    }
    const answer = async (key: number, question: Question): Promise<void> => {
      try {
        const progress = (progress: Progress): void => post({ _tag: "Progress", key, progress })
        postAnswer(key, await handlers.answer(question, progress))
      } catch (cause) {
        post({ _tag: "Failed", key, message: messageOf(cause) })
      }
    }
    port.on("message", (message: ToThread<Question>) => {
      if (message._tag === "Ask") {
        const answered = answer(message.key, unpack(message))
        running.add(answered)
        void answered.finally(() => running.delete(answered))
      } else {
        void Promise.all(running).then(() => handlers.close?.()).catch(() => {}).finally(() => post({ _tag: "Closed" }))
      }
    })
    post({ _tag: "Ready", ready: handlers.ready })
  }

  try {
    start(open(workerData as Data))
  } catch (cause) {
    post({ _tag: "OpenFailed", message: messageOf(cause) })
  }
}

const messageOf = (cause: unknown): string => cause instanceof Error ? cause.message : String(cause)
