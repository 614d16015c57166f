import { Effect } from "effect"
import type { AskOptions, Thread } from "./start-thread.ts"

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
