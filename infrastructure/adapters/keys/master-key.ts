import { Data, Effect, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { createFileAtomic, isMissing } from "../../platform/atomic-file.ts"

const KEY_BYTES = 32

/** Checked in full: Node's decoder skips characters that are not base64 and stops at the first padding. */
const KEY_TEXT = /^[A-Za-z0-9+/_-]{43}=?$/u

/** The master key is missing or cannot be used. `message` says what to do. */
export class MasterKeyError extends Data.TaggedError("MasterKeyError")<{ readonly message: string }> {}

const decodeKey = (text: string, where: string): Effect.Effect<Redacted.Redacted<Uint8Array>, MasterKeyError> => {
  const key = text.trim()
  return KEY_TEXT.test(key)
    ? Effect.succeed(Redacted.make(new Uint8Array(Buffer.from(key, "base64")), { label: "MASTER_KEY" }))
    : Effect.fail(
      new MasterKeyError({
        message: `${where} must hold 32 bytes in base64. Create a key with: openssl rand -base64 32`
      })
    )
}

const readKeyFile = (file: string) =>
  Effect.try({
    try: (): string | undefined => {
      try {
        return readFileSync(file, "utf8")
      } catch (cause) {
        if (isMissing(cause)) return undefined
        throw cause
      }
    },
    catch: (cause) => new MasterKeyError({ message: `${file} cannot be read: ${String(cause)}` })
  })

const createMasterKey = (file: string) =>
  Effect.try({
    try: () => {
      createFileAtomic(file, `${randomBytes(KEY_BYTES).toString("base64")}\n`, 0o600)
      return readFileSync(file, "utf8")
    },
    catch: (cause) => new MasterKeyError({ message: `${file} cannot be created: ${String(cause)}` })
  })

/** The master key of the setting `MASTER_KEY`, 32 bytes in base64. */
export const masterKeyOfSetting = (setting: Redacted.Redacted<string>) =>
  decodeKey(Redacted.value(setting), "MASTER_KEY")

/** The master key in `DATA_DIR/master.key`, created at the first start; with `create: false` it is only read. */
export const masterKeyOfFolder = Effect.fnUntraced(function* (
  folder: string,
  { create }: { readonly create: boolean }
) {
  const file = join(folder, "master.key")
  const text = yield* readKeyFile(file)
  if (text !== undefined) return yield* decodeKey(text, file)
  if (!create) {
    const message =
      `${file} is missing. The encrypted values in the log cannot be read without it: restore it from a backup`
    return yield* new MasterKeyError({ message })
  }
  return yield* decodeKey(yield* createMasterKey(file), file)
})
