import { Effect, Redacted } from "effect"
import { join } from "node:path"
import { sealTransfer } from "../../application/sealing/sealed-data.ts"
import { recordOf } from "../../domain/events/sealed-record.ts"
import { EventStore } from "../../ports/event-store.ts"
import { layerEventStoreEmbedded } from "../../infrastructure/adapters/stores/sqlite/events/store.ts"
import { eventsFile } from "../../infrastructure/runtime/data-folder.ts"
import { layerVault } from "../../infrastructure/adapters/keys/vault.ts"
import { transferOf } from "../../test/application/given-verifier.ts"
import { temporaryFolder } from "../../test/support/temporary-folder.ts"
import { BenchError, type Figure } from "../figure.ts"
import { slipEvents } from "../../test/support/slip-events.ts"
import { measureAt } from "./at.ts"
import { measureExport } from "./export.ts"
import { type LogFolder, measureFirstLine } from "./first-line.ts"

const KEY_BYTES = new Uint8Array(32).fill(7)
const masterKey = Buffer.from(KEY_BYTES).toString("base64")

/** Fills a log with first verifications of different slips. */
const fill = Effect.fnUntraced(function* (dataDir: string, count: number) {
  const { append } = yield* EventStore
  const events = slipEvents(count)
  const transfer = transferOf({ sendingBank: "004", transRef: "A1" })
  yield* Effect.forEach(
    events,
    Effect.fnUntraced(function* ({ event, stream }) {
      const record = recordOf({ stream, data: event.data })
      const sealed = yield* sealTransfer(transfer, { record, subject: "slip" })
      yield* append(stream, "no-stream", [{ ...event, data: { ...event.data, transfer: sealed } }])
    }),
    { concurrency: 256, discard: true }
  ).pipe(Effect.provide(layerVault(Redacted.make(KEY_BYTES))))
  const middle = events[Math.floor(count / 2)]
  return { dataDir, masterKey, verificationId: middle?.event.metadata.causationId ?? "" } satisfies LogFolder
})

const onLog = (dataDir: string) => Effect.provide(layerEventStoreEmbedded({ file: eventsFile(dataDir) }))

/** Measures the trail commands that analysts use. */
export const trail: Figure = {
  name: "trail",
  about: "Exporting a log and showing a verification's trail, on embedded stores",
  run: ({ events, rounds }) =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const [longDir, shortDir, oftenDir] = [
        join(folder, "long"),
        join(folder, "short"),
        join(folder, "often")
      ] as const
      const short = yield* onLog(shortDir)(fill(shortDir, 1))
      const { exports, long } = yield* onLog(longDir)(Effect.gen(function* () {
        const long = yield* fill(longDir, events)
        return { exports: yield* measureExport(folder, events, rounds), long }
      }))
      return [
        ...exports,
        yield* onLog(oftenDir)(measureAt(rounds)),
        yield* measureFirstLine("show", long, short, events, rounds),
        yield* measureFirstLine("at", long, short, events, rounds)
      ]
    }).pipe(
      Effect.mapError((error) => error instanceof BenchError ? error : new BenchError({ message: String(error) }))
    )
}
