import { assert, describe, it } from "../support/it.ts"
import { Cause, Effect, Exit } from "effect"
import { ExpectedError } from "../../domain/expected-error.ts"

class TooLate extends ExpectedError("TooLate")<{ readonly days: number }> {}

describe("an expected error", () => {
  it("is a tagged error with its fields", () => {
    const error = new TooLate({ days: 3 })
    assert.instanceOf(error, Error)
    assert.deepStrictEqual([error._tag, error.name, error.days], ["TooLate", "TooLate", 3])
  })

  it.effect("fails an effect and is caught by its tag", function* () {
    const exit = yield* Effect.exit(new TooLate({ days: 3 }))
    assert.isTrue(Exit.isFailure(exit) && Cause.hasFails(exit.cause))
    const days = yield* new TooLate({ days: 4 }).pipe(
      Effect.catchTag("TooLate", (error) => Effect.succeed(error.days))
    )
    assert.strictEqual(days, 4)
  })

  it("has no stack trace, and leaves those of other errors", () => {
    assert.notInclude(String(new TooLate({ days: 3 }).stack), " at ")
    assert.include(String(new Error("another").stack), " at ")
  })
})
