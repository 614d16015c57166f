import { Effect, Layer } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { storeLog } from "../../../../application/log-proof/store-log.ts"
import { openExportedLog } from "../../../../infrastructure/adapters/notary/exported-log.ts"
import { openRawLog } from "../../../../infrastructure/adapters/stores/sqlite/events/raw-log.ts"
import { layerEventStoreEmbeddedReadOnly } from "../../../../infrastructure/adapters/stores/sqlite/events/store.ts"
import { logSourceContract } from "../../../contracts/log-source.ts"
import { exportedLines } from "../../../support/signed-log.ts"

logSourceContract(
  "an event store",
  ({ events }) =>
    Effect.flatMap(
      Layer.build(layerEventStoreEmbeddedReadOnly({ file: events })),
      (store) => Effect.provide(storeLog, store)
    )
)

logSourceContract("the file of an embedded log", ({ events }) => openRawLog(events))

logSourceContract(
  "an export",
  Effect.fnUntraced(function* (log) {
    const file = join(log.folder, "export.ndjson")
    const lines = yield* exportedLines(log)
    writeFileSync(file, lines.map((line) => `${line}\n`).join(""))
    return yield* openExportedLog(file)
  })
)
