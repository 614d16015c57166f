import { Effect } from "effect"
import { createPrivateKey, type KeyObject } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { EventStore } from "../../ports/event-store.ts"
import { layerSigning, logIn, newKey, signNext } from "../../test/support/signed-log.ts"
import { slipEvents } from "../../test/support/slip-events.ts"

const keyFile = (folder: string): string => join(folder, "signing.key")

/** Reads the key with which the log in a folder was signed. */
export const readKeyOf = (folder: string): KeyObject => createPrivateKey(readFileSync(keyFile(folder)))

/** Events per signed block, as in the service. */
const BLOCK = 1_000

/** Events that are made at a time, to limit memory. */
const PART = 10_000

/** Writes a log of `count` slips into a folder and signs it block by block. */
export const fillSigned = Effect.fnUntraced(function* (folder: string, count: number) {
  const log = logIn(folder, newKey())
  writeFileSync(keyFile(folder), log.key.export({ type: "pkcs8", format: "pem" }))
  yield* Effect.gen(function* () {
    const store = yield* EventStore
    for (let left = count; left > 0; left -= PART) {
      yield* Effect.forEach(
        slipEvents(Math.min(left, PART)),
        ({ event, stream }) => store.append(stream, "no-stream", [event]),
        { concurrency: 256, discard: true }
      )
      for (let block = 0; block < PART / BLOCK; block++) yield* signNext(BLOCK)
    }
  }).pipe(Effect.provide(layerSigning(log)))
  return log
})
