import { Effect } from "effect"
import { createPrivateKey, type KeyObject } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { EventStore } from "../../../ports/event-store.ts"
import { layerSigning, logIn, newKey, signNext } from "../../support/signed-log.ts"
import { slipEvents } from "../store/slip-events.ts"

const keyFile = (folder: string): string => join(folder, "signing.key")

/** The key that the log in a folder was signed with. */
export const readKeyOf = (folder: string): KeyObject => createPrivateKey(readFileSync(keyFile(folder)))

/** Events of a block, as a service signs them. */
const BLOCK = 1_000

/** Events that are made at once: more would only take memory. */
const PART = 10_000

/** A log of so many slips in a folder, signed as it grew. */
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
