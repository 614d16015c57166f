import { Data } from "effect"

/**
 * `Data.TaggedError` without a stack trace, for errors that a caller is answered with: a wrong API key, invalid input, an
 * unknown slip. Hot path: taking the trace costs 15 µs, ten times as much as the rest of the error, and nothing reads it.
 * Guarded by `npm run bench -- guards`.
 */
export const ExpectedError = <Tag extends string>(tag: Tag): ReturnType<typeof Data.TaggedError<Tag>> =>
  new Proxy(Data.TaggedError(tag), {
    construct: (target, args, newTarget): object => {
      const limit = Error.stackTraceLimit
      Error.stackTraceLimit = 0
      try {
        return Reflect.construct(target, args, newTarget)
      } finally {
        Error.stackTraceLimit = limit
      }
    }
  })
