import { Effect, Layer, Redacted } from "effect"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { branches, slips } from "../../../domain/events/aggregates.ts"
import { beginning, type RecordedEvent } from "../../../domain/events/recorded-event.ts"
import { EventStore } from "../../../ports/event-store.ts"
import { Vault } from "../../../ports/vault.ts"
import { isOwnKey } from "../../../application/sealed-values/own-key.ts"
import { layerEventStoreEmbeddedReadOnly } from "../../adapters/stores/sqlite/events/store.ts"
import { type KeySettings, layerKeysReadOnly, masterKey } from "../../runtime/keys.ts"
import { openSubjectKeys } from "../../adapters/keys/subject-keys.ts"
import { layerVault } from "../../adapters/keys/vault.ts"
import { type Manifest, MASTER_KEY } from "./manifest.ts"

/** The master key of the settings, and its name in the log. */
export interface MasterKey {
  readonly key: Redacted.Redacted<Uint8Array>
  /** `m-` and eight digits. */
  readonly name: string
}

/** The master key of the settings; undefined when there is neither a setting nor a file. */
export const findMasterKey = Effect.fnUntraced(function* (settings: KeySettings) {
  if (settings.masterKey === undefined && !existsSync(join(settings.dataDir, MASTER_KEY))) return undefined
  const key = yield* masterKey(settings, false)
  // Sealed data contains the name of its key.
  const { k: name } = yield* Vault.use((vault) => vault.seal("", "")).pipe(Effect.provide(layerVault(key)))
  const found: MasterKey = { key, name }
  return found
})

export const masterKeyText = ({ key }: MasterKey): string => `${Buffer.from(Redacted.value(key)).toString("base64")}\n`

/** How many events are searched for sealed data: the first service also creates a branch, whose secret is sealed. */
const FIRST_EVENTS = 200

const sealedIn = (event: RecordedEvent): string | undefined => {
  if (event.type === "WebhookSecretRotated") {
    const decoded = branches.codec.decode(event)
    return decoded._tag === "WebhookSecretRotated" ? decoded.secret.k : undefined
  }
  if (event.type !== "SlipVerified") return undefined
  const decoded = slips.codec.decode(event)
  return decoded._tag === "SlipVerified" ? decoded.transfer.k : undefined
}

/** The names of the keys that a log was sealed with; null when nothing is sealed with them yet. */
export const keyNamesOf = (file: string) =>
  EventStore.use((store) => store.readAll({ after: beginning, limit: FIRST_EVENTS })).pipe(
    Effect.map((events): Manifest["keys"] => {
      const names = events.flatMap((event) => sealedIn(event) ?? [])
      return {
        master: names.find((name) => name.startsWith("m-")) ?? null,
        // The text continues with the number of the single key.
        slips: names.find((name) => name.startsWith("s-"))?.slice(0, "s-01234567".length) ?? null
      }
    }),
    Effect.provide(layerEventStoreEmbeddedReadOnly({ file }))
  )

/** Whether the keys of the settings open the sealed data of a log; undefined when nothing is sealed yet. */
export const opensLog = (file: string, settings: KeySettings) =>
  isOwnKey.pipe(
    Effect.provide(Layer.provideMerge(layerKeysReadOnly(settings), layerEventStoreEmbeddedReadOnly({ file }))),
    // Unreadable keys open nothing. Slip keys are unreadable with a master key other than the one that sealed them.
    Effect.catchTag(["MasterKeyError", "SubjectKeysError"], () => Effect.succeed(false))
  )

/** The name of the slip keys in a file; undefined when the file is missing or the master key does not open it. */
export const slipKeysIn = (file: string | undefined, master: MasterKey | undefined) =>
  file === undefined || master === undefined
    ? Effect.undefined
    : openSubjectKeys(file, master.key, { create: false }).pipe(
      Effect.map(({ ring }): string | undefined => `s-${ring}`),
      Effect.catchTag("SubjectKeysError", () => Effect.undefined)
    )
