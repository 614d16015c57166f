import { Effect } from "effect"
import { type AskOptions, startThread, type Thread, type ThreadOptions } from "./start-thread.ts"

/** Asks a thread and waits for the answer. Fails when the question failed or the thread ended. */
export const askThread = <Question, Answer, Progress>(
  thread: Pick<Thread<unknown, Question, Answer, Progress>, "ask">,
  question: Question,
  options?: AskOptions<Progress>
): Effect.Effect<Answer, Error> =>
  Effect.callback((resume) =>
    thread.ask(
      question,
      (outcome) => resume(outcome instanceof Error ? Effect.fail(outcome) : Effect.succeed(outcome)),
      options
    )
  )

/** Starts a thread that ends with the scope, in the middle of a question too. */
export const scopedThread = <Question, Answer, E>(options: ThreadOptions, onFailure: (cause: unknown) => E) =>
  Effect.acquireRelease(
    Effect.try({ try: () => startThread<unknown, Question, Answer>(options), catch: onFailure }),
    (thread) => Effect.promise(() => thread.terminate())
  ).pipe(
    Effect.map((thread) => ({
      /** Waits until the thread can answer. */
      ready: Effect.tryPromise({ try: () => thread.ready, catch: onFailure }),
      ask: (question: Question) => Effect.mapError(askThread(thread, question), onFailure)
    }))
  )
