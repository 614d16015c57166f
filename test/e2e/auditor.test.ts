import { describe, it } from "../support/it.ts"
import { join } from "node:path"
import { spawnService } from "../support/service.ts"
import { temporaryFolder } from "../support/temporary-folder.ts"
import { answersDispute, signing } from "./answers-dispute.ts"

describe("a dispute", () => {
  it.live("is answered by an auditor's token alone, from a service in another process", function* () {
    yield* answersDispute(yield* spawnService(join(yield* temporaryFolder, "data"), signing))
  })
})
