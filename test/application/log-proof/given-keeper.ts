import { Effect, Exit, Layer, Logger, Scope } from "effect"
import { createPublicKey, generateKeyPairSync } from "node:crypto"
import { treeHeadOf, treeHeadStream } from "../../../application/log-proof/tree-head-chain.ts"
import { TreeHeadFile, TreeHeadFileError } from "../../../ports/notary.ts"
import { EventStore } from "../../../ports/event-store.ts"
import { storeLog } from "../../../application/log-proof/store-log.ts"
import { verifyLog } from "../../../application/log-proof/verify-log/verify-log.ts"
import type { TreeHead } from "../../../domain/log-proof/tree-head.ts"
import { layerHashing } from "../../../infrastructure/notary/hashing.ts"
import { layerNotary } from "../../../infrastructure/notary/notary.ts"
import { layerSignatureVerifier } from "../../../infrastructure/notary/public-keys.ts"
import { layerIdentifiers } from "../../../infrastructure/keys/identifiers.ts"
import { signTreeHeads } from "../../../application/log-proof/sign-tree-heads.ts"
import { layerProjector } from "../../../projections/engine/projector.ts"
import { until } from "../../support/until-done.ts"

const key = generateKeyPairSync("ed25519").privateKey

const layerKeeping = Layer.mergeAll(layerNotary(key), layerHashing, layerIdentifiers)

/** Checkpoints are signed after ten events, or after a minute. */
const options = { events: 10, intervalMillis: 60_000 }

/** A file of checkpoints in memory; it can't be written to while `isFull`. */
export const memoryFile = () => {
  const state = { lines: new Array<TreeHead>(), isFull: false }
  const layer = Layer.succeed(
    TreeHeadFile,
    TreeHeadFile.of({
      last: Effect.sync(() => state.lines.at(-1)),
      append: (checkpoints) =>
        state.isFull
          ? Effect.fail(new TreeHeadFileError({ message: "the disk is full" }))
          : Effect.sync(() => void state.lines.push(...checkpoints))
    })
  )
  return { state, layer }
}

export type MemoryFile = ReturnType<typeof memoryFile>

/** What signs the log, until it is stopped or the test ends; `told` is what it logs. */
export const startKeeper = Effect.fnUntraced(function* (file: MemoryFile = memoryFile()) {
  const told: Array<string> = []
  const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
  yield* Layer.buildWithScope(
    Layer.fresh(layerProjector([], (feed) => signTreeHeads(feed, options))).pipe(
      Layer.provide(Layer.mergeAll(layerKeeping, file.layer)),
      Layer.provide(Logger.layer([Logger.map(Logger.formatLogFmt, (line) => void told.push(line))]))
    ),
    scope
  )
  return { file: file.state, told, stop: Scope.close(scope, Exit.void) }
})

/** The checkpoints that are in the log. */
export const signed = EventStore.use((store) => store.readStream(treeHeadStream)).pipe(
  Effect.map((events) => events.map(treeHeadOf).filter((checkpoint) => checkpoint !== undefined))
)

/** Lets time go on until there are so many checkpoints. */
export const signedAre = (count: number) => until(Effect.map(signed, ({ length }) => length >= count))

/** What comes of examining the log, with the file beside it where one is given. */
export const examined = Effect.gen(function* () {
  return yield* verifyLog(yield* storeLog, { lines: undefined, seen: [] })
}).pipe(Effect.provide(Layer.merge(layerKeeping, layerSignatureVerifier([createPublicKey(key)]))))
