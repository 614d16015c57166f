import { Data, Effect, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { isMissing, makeKeyFile } from "./key-file.ts"

const KEY_BYTES = 32

/** Whole and nothing but: Node's decoder would skip what is no base64 and stop at the first padding. */
const KEY_TEXT = /^[A-Za-z0-9+/_-]{43}=?$/u

/** The master key can't be had; `message` says what to do. */
export class MasterKeyError extends Data.TaggedError("MasterKeyError")<{ readonly message: string }> {}

const decodeKey = (text: string, where: string): Effect.Effect<Redacted.Redacted<Uint8Array>, MasterKeyError> => {
  const key = text.trim()
  return KEY_TEXT.test(key)
    ? Effect.succeed(Redacted.make(new Uint8Array(Buffer.from(key, "base64")), { label: "MASTER_KEY" }))
    : Effect.fail(
      new MasterKeyError({
        message: `${where} must hold 32 bytes in base64; make one with: openssl rand -base64 32`
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

/** On disk before anything is sealed with it. */
const makeMasterKey = (file: string) =>
  Effect.try({
    try: () => {
      makeKeyFile(file, `${randomBytes(KEY_BYTES).toString("base64")}\n`)
      return readFileSync(file, "utf8")
    },
    catch: (cause) => new MasterKeyError({ message: `${file} cannot be made: ${String(cause)}` })
  })

/** The master key of the setting `MASTER_KEY`, 32 bytes in base64. */
export const masterKeyOfSetting = (setting: Redacted.Redacted<string>) =>
  decodeKey(Redacted.value(setting), "MASTER_KEY")

/** The master key in `DATA_DIR/master.key`, made the first time; `create: false` only reads. */
export const masterKeyOfFolder = Effect.fnUntraced(function* (
  folder: string,
  { create }: { readonly create: boolean }
) {
  const file = join(folder, "master.key")
  const text = yield* readKeyFile(file)
  if (text !== undefined) return yield* decodeKey(text, file)
  if (!create) {
    const message = `${file} is missing: put it back, what the log has sealed cannot be read without it`
    return yield* new MasterKeyError({ message })
  }
  return yield* decodeKey(yield* makeMasterKey(file), file)
})
