import { Effect, Layer } from "effect"
import { createPublicKey, generateKeyPairSync, type KeyObject, randomUUID } from "node:crypto"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { copyTreeHeads, signTreeHead } from "../../application/log-proof/sign-tree-heads.ts"
import { addEvent, pendingAfter } from "../../domain/log-proof/pending-block.ts"
import { beginning, formatPosition, type NewEvent, type RecordedEvent } from "../../domain/events/recorded-event.ts"
import { EventStore } from "../../ports/event-store.ts"
import { lastTreeHead } from "../../application/log-proof/find-tree-head.ts"
import { type Evidence, verifyLog } from "../../application/log-proof/verify-log/verify-log.ts"
import { layerEventStoreEmbedded } from "../../infrastructure/adapters/stores/sqlite/events/store.ts"
import { openRawLog } from "../../infrastructure/adapters/stores/sqlite/events/raw-log.ts"
import { layerTreeHeadFile, openTreeHeadLines } from "../../infrastructure/adapters/notary/tree-head-file.ts"
import { openExportedLog } from "../../infrastructure/adapters/notary/exported-log.ts"
import { layerHashing, layerNotary, layerSignatureVerifier } from "../../infrastructure/adapters/notary/signing-keys.ts"
import { sha256 } from "../../infrastructure/platform/sha256.ts"
import { layerIdentifiers } from "../../infrastructure/adapters/keys/identifiers.ts"
import { temporaryFolder } from "./temporary-folder.ts"

export const newKey = (): KeyObject => generateKeyPairSync("ed25519").privateKey

/** A unique event whose content varies with `n`. */
export const anyEvent = (n: number): NewEvent => ({
  id: randomUUID(),
  type: ["SlipVerified", "SlipVerifiedAgain", "VerificationFailed"][n % 3] ?? "SlipVerified",
  data: {
    verificationId: randomUUID(),
    amount: 150_050 + n,
    ratio: n / 7,
    charged: n % 2 === 0,
    remark: n % 4 === 0 ? null : `order ${n} – สลิป "x"\n`,
    transfer: { k: "m-00000000", n: "AAAA", c: "c".repeat(40 + n % 9) },
    askedBefore: n % 5 === 0 ? [{ gateway: "scb", gatewayMillis: n }] : []
  },
  metadata: {
    at: new Date(Date.UTC(2026, 10, 21) + n * 1_000).toISOString(),
    correlationId: randomUUID(),
    causationId: randomUUID(),
    actor: { kind: "branch", id: "5b0b3f0e-7c5d-4a1b-9f2e-6d8c4a3b2c1d" },
    schema: 1
  }
})

/** Appends that many events, two to each stream. */
export const appendMany = Effect.fnUntraced(function* (count: number) {
  const store = yield* EventStore
  let stream = ""
  for (let n = 0; n < count; n++) {
    const isFirst = n % 2 === 0
    if (isFirst) stream = `slip-${randomUUID()}`
    yield* store.append(stream, isFirst ? "no-stream" : 0, [anyEvent(n)])
  }
})

/** Signs a block of events that are not signed yet: all of them, or up to the limit. */
export const signNext = Effect.fnUntraced(function* (limit = 1_000_000) {
  const store = yield* EventStore
  const covered = pendingAfter(yield* lastTreeHead)
  const events = yield* store.readAll({ after: covered.end, limit })
  const pending = events.reduce((pending, event) => addEvent(sha256, pending, event, 0), covered)
  if (events.length > 0) yield* signTreeHead(pending)
  yield* copyTreeHeads
})

/** The files of a signed log, and the trusted key. */
export interface SignedLog {
  readonly folder: string
  readonly events: string
  readonly checkpoints: string
  readonly key: KeyObject
}

export const logIn = (folder: string, key: KeyObject = newKey()): SignedLog => ({
  folder,
  events: join(folder, "events.db"),
  checkpoints: join(folder, "checkpoints.ndjson"),
  key
})

/** The services to write and sign a log. */
export const layerSigning = ({ checkpoints, events, key }: SignedLog) =>
  Layer.mergeAll(
    layerEventStoreEmbedded({ file: events }),
    layerTreeHeadFile(checkpoints),
    layerNotary(key),
    layerHashing,
    layerIdentifiers
  )

/** A log of blocks of these sizes, each signed, in a folder that is removed with the scope. */
export const givenSignedLog = Effect.fnUntraced(function* (...blocks: ReadonlyArray<number>) {
  const log = logIn(yield* temporaryFolder)
  yield* Effect.provide(
    Effect.forEach(blocks, (count) => Effect.andThen(appendMany(count), signNext())),
    layerSigning(log)
  )
  return log
})

/** The lines of a whole export of a log. */
export const exportedLines = (log: SignedLog) =>
  EventStore.use((store) => store.readAll({ after: beginning, limit: 1_000_000 })).pipe(
    Effect.map((events) => events.map(lineOf)),
    Effect.provide(layerSigning(log))
  )

export const lineOf = ({ data, id, metadata, position, revision, stream, type }: RecordedEvent): string =>
  JSON.stringify({ position: formatPosition(position), id, stream, revision, type, data, metadata })

const withKey = (key: KeyObject) =>
  Layer.mergeAll(layerHashing, layerIdentifiers, layerSignatureVerifier([createPublicKey(key)]))

/** The verdict on the stored log, with its file of tree heads. */
export const examineStored = ({ checkpoints, events, key }: SignedLog, seen: Evidence["seen"] = []) =>
  Effect.gen(function* () {
    const lines = existsSync(checkpoints) ? yield* openTreeHeadLines(checkpoints) : undefined
    return yield* verifyLog(yield* openRawLog(events), { lines, seen })
  }).pipe(Effect.scoped, Effect.provide(withKey(key)))

/** The verdict on an export of the log. */
export const examineExport = ({ checkpoints, key }: SignedLog, file: string) =>
  Effect.gen(function* () {
    const lines = existsSync(checkpoints) ? yield* openTreeHeadLines(checkpoints) : undefined
    return yield* verifyLog(yield* openExportedLog(file), { lines, seen: [] })
  }).pipe(Effect.scoped, Effect.provide(withKey(key)))
