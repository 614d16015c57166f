import { describe, it } from "../../support/it.ts"
import { join } from "node:path"
import { startSharedEngines } from "../../support/shared-engines.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"
import { assertReadAgain } from "../given-reading.ts"

describe("what was verified, on shared stores", () => {
  it.live("can be read again by its branch alone, as it was answered", function* () {
    const engines = yield* startSharedEngines
    const SUBJECT_KEYS_FILE = join(yield* temporaryFolder, "subjects.key")
    yield* assertReadAgain(yield* engines.service({ SUBJECT_KEYS_FILE }))
  })
})
