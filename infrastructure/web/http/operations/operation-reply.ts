import { Effect } from "effect"
import type { Operation, Success } from "../../api/operation.ts"
import type { List } from "./cursor.ts"
import { withSealedCursor } from "./page.ts"
import type { FileAnswer, Reply } from "../server/reply.ts"

class WithMessage<A> {
  readonly message: string
  readonly data: A

  constructor(message: string, data: A) {
    this.message = message
    this.data = data
  }
}

/** Data with a message that replaces the one of the operation. */
export const withMessage = <A>(message: string, data: A) => new WithMessage(message, data)

/** What the handler of an operation answers: the declared data, also with a message of its own, or the declared file. */
export type AnswerOf<Op extends Operation> = Op["success"] extends { readonly files: {} } ? FileAnswer
  : Op["success"]["data"]["Encoded"] | WithMessage<Op["success"]["data"]["Encoded"]>

class NotVisibleYet {
  readonly data: unknown

  constructor(data: unknown) {
    this.data = data
  }
}

/** Data of a change that requests do not see yet. */
export const notVisibleYet = (data: unknown): unknown => new NotVisibleYet(data)

/** The answer of a list, whose cursor callers get sealed. */
export const sealedPage = (list: List, data: unknown) =>
  data instanceof WithMessage
    ? Effect.map(withSealedCursor(list, data.data), (page) => withMessage(data.message, page))
    : withSealedCursor(list, data)

/** The answer of an operation of v2 or the admin API. */
export const replyOf = (success: Success, data: unknown): Reply => {
  if (data instanceof NotVisibleYet) return { ...replyOf(success, data.data), isVisible: false }
  const { message, status } = success
  return data instanceof WithMessage ? { status, message: data.message, data: data.data } : { status, message, data }
}
