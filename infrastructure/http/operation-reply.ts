import { Effect } from "effect"
import type { Success } from "./api/operation.ts"
import type { List } from "./cursor.ts"
import { withSealedCursor } from "./page.ts"
import type { Reply } from "./reply.ts"

class WithMessage {
  readonly message: string
  readonly data: unknown

  constructor(message: string, data: unknown) {
    this.message = message
    this.data = data
  }
}

/** Data with a message that replaces the one of the operation. */
export const withMessage = (message: string, data: unknown): unknown => new WithMessage(message, data)

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
