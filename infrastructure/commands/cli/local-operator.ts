import { Effect } from "effect"
import { userInfo } from "node:os"

/** The user of the operating system; its number when it has no name. */
const user = Effect.sync((): string => {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`
  }
})

/** The name in the trail of the person who works on the data folder. */
export const localOperator = Effect.map(user, (name) => `os:${name}`)
