import { describe, it } from "../../support/it.ts"
import { startSharedEngines } from "../../support/shared-engines.ts"
import { answersDispute, signing } from "../answers-dispute.ts"

describe("a dispute", () => {
  it.live("is answered by an auditor's token alone, from shared stores", function* () {
    const engines = yield* startSharedEngines
    yield* answersDispute(yield* engines.service(signing))
  })
})
