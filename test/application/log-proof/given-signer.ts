import { Effect, Exit, Layer, Logger, Scope } from "effect"
import { createPublicKey, generateKeyPairSync } from "node:crypto"
import { treeHeadOf } from "../../../application/log-proof/tree-head-chain.ts"
import { treeHeadStream } from "../../../domain/log-proof/pending-block.ts"
import { TreeHeadFile, TreeHeadFileError } from "../../../ports/notary.ts"
import { EventStore } from "../../../ports/event-store.ts"
import { storeLog } from "../../../application/log-proof/store-log.ts"
import { verifyLog } from "../../../application/log-proof/verify-log/verify-log.ts"
import type { TreeHead } from "../../../domain/log-proof/tree-head.ts"
import {
  layerHashing,
  layerNotary,
  layerSignatureVerifier
} from "../../../infrastructure/adapters/notary/signing-keys.ts"
import { layerIdentifiers } from "../../../infrastructure/adapters/keys/identifiers.ts"
import { signTreeHeads } from "../../../application/log-proof/sign-tree-heads.ts"
import { layerProjector } from "../../../projections/engine/projector.ts"
import { until } from "../../support/advance-clock.ts"

const key = generateKeyPairSync("ed25519").privateKey

const layerSigning = Layer.mergeAll(layerNotary(key), layerHashing, layerIdentifiers)

const MINUTE_MILLIS = 60_000

/** A file of tree heads in memory. Appending fails while `isFull`. */
export const memoryFile = () => {
  const state = { lines: new Array<TreeHead>(), isFull: false }
  const layer = Layer.succeed(
    TreeHeadFile,
    TreeHeadFile.of({
      last: Effect.sync(() => state.lines.at(-1)),
      append: (treeHeads) =>
        state.isFull
          ? Effect.fail(new TreeHeadFileError({ message: "the disk is full" }))
          : Effect.sync(() => void state.lines.push(...treeHeads))
    })
  )
  return { state, layer }
}

export type MemoryFile = ReturnType<typeof memoryFile>

/**
 * Signs the log until it is stopped or the test ends: after ten events, or after the interval. `logged` has its log lines.
 */
export const startSigner = Effect.fnUntraced(function* (
  file: MemoryFile = memoryFile(),
  intervalMillis: number = MINUTE_MILLIS
) {
  const logged: Array<string> = []
  const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
  yield* Layer.buildWithScope(
    Layer.fresh(layerProjector([], { follower: (feed) => signTreeHeads(feed, { events: 10, intervalMillis }) })).pipe(
      Layer.provide(Layer.mergeAll(layerSigning, file.layer)),
      Layer.provide(Logger.layer([Logger.map(Logger.formatLogFmt, (line) => void logged.push(line))]))
    ),
    scope
  )
  return { file: file.state, logged, stop: Scope.close(scope, Exit.void) }
})

/** The tree heads in the log. */
export const signed = EventStore.use((store) => store.readStream(treeHeadStream)).pipe(
  Effect.map((events) => events.map(treeHeadOf).filter((treeHead) => treeHead !== undefined))
)

/** Advances time until there are that many tree heads. */
export const signedAre = (count: number) => until(Effect.map(signed, ({ length }) => length >= count))

/** The verdict on the log, without a file. */
export const verifiedLog = Effect.gen(function* () {
  return yield* verifyLog(yield* storeLog, { lines: undefined, seen: [] })
}).pipe(Effect.provide(Layer.merge(layerSigning, layerSignatureVerifier([createPublicKey(key)]))))
