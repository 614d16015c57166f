import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { startSharedEngines } from "../../support/shared-engines.ts"
import { answersDispute, signing } from "../answers-dispute.ts"

describe("a dispute", () => {
  it.live("is answered by an auditor's token alone, from shared stores", () =>
    Effect.gen(function* () {
      const engines = yield* startSharedEngines
      yield* answersDispute(yield* engines.service(signing))
    }))
})
