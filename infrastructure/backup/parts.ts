import { Effect, type Redacted } from "effect"
import { createReadStream } from "node:fs"
import { open, readFile } from "node:fs/promises"
import { join } from "node:path"
import { publicKeyFile, signingKeyFile, signingKeyOfSetting } from "../notary/signing-key.ts"
import { checkpointFileOf } from "../runtime/tree-heads.ts"
import { subjectKeysFile } from "../runtime/keys.ts"
import { isMissing } from "../atomic-file.ts"
import { attempt } from "./failure.ts"
import { digest, digestOfFile, writeText } from "./files.ts"
import { type KeyAtHand, masterKeyText } from "./keys.ts"
import {
  type BackupFile,
  CHECKPOINTS,
  type FileEntry,
  LOG,
  MASTER_KEY,
  SIGNING_KEY,
  SIGNING_PUB,
  SUBJECT_KEYS
} from "./manifest.ts"
import type { BackupSettings } from "./settings.ts"

type Entries = ReadonlyArray<FileEntry>

const asText = (folder: string, name: BackupFile, text: string) =>
  attempt(name, async (signal): Promise<Entries> => [{ name, ...(await writeText(join(folder, name), text, signal)) }])

const textOf = (file: string) =>
  attempt(file, async () => {
    try {
      return await readFile(file, "utf8")
    } catch (cause) {
      if (isMissing(cause)) return undefined
      throw cause
    }
  })

/** A file as it is; nothing when there is none. */
const copied = Effect.fnUntraced(function* (folder: string, name: BackupFile, from: string) {
  const text = yield* textOf(from)
  return text === undefined ? [] : yield* asText(folder, name, text)
})

/** Bytes of a file up to its last line end: whoever appends to it may be in the middle of a line. */
const wholeLines = async (file: string): Promise<number> => {
  const handle = await open(file, "r")
  try {
    const { size } = await handle.stat()
    const tail = new Uint8Array(Math.min(size, LONGEST_LINE))
    await handle.read(tail, 0, tail.length, size - tail.length)
    return size - tail.length + tail.lastIndexOf(LINE_END) + 1
  } finally {
    await handle.close()
  }
}

const LINE_END = 0x0a
/** A checkpoint takes some 600 bytes. */
const LONGEST_LINE = 65_536

/** Public keys and checkpoints, which are to be taken before the log: then what they tell of it is in it. */
export const takeProofs = Effect.fnUntraced(function* (folder: string, settings: BackupSettings) {
  const file = checkpointFileOf(settings)
  const checkpoints = yield* attempt(file, async (signal): Promise<Entries> => {
    try {
      const end = await wholeLines(file)
      const lines = end === 0 ? [] : createReadStream(file, { end: end - 1 })
      return [{ name: CHECKPOINTS, ...(await digest(lines, signal, join(folder, CHECKPOINTS))) }]
    } catch (cause) {
      if (isMissing(cause)) return []
      throw cause
    }
  })
  return [...checkpoints, ...yield* copied(folder, SIGNING_PUB, publicKeyFile(settings.dataDir))]
})

/** The keys of slips. */
const takeSubjectKeys = Effect.fnUntraced(function* (folder: string, settings: BackupSettings) {
  const file = subjectKeysFile(settings)
  if (file === undefined) return []
  const text = yield* textOf(file)
  // An older file is written over with zeros as soon as a key in it was destroyed: the new one is there by then.
  const whole = text?.includes("\u0000") === true ? yield* textOf(file) : text
  return whole === undefined ? [] : yield* asText(folder, SUBJECT_KEYS, whole)
})

/**
 * The keys that nobody else may have: those of the settings, otherwise those of the data folder. To be taken after the
 * log: what was forgotten until then has no key in them.
 */
export const takeSecretKeys = Effect.fnUntraced(function* (folder: string, settings: BackupSettings, key: KeyAtHand) {
  const signing = settings.signingKey === undefined
    ? yield* copied(folder, SIGNING_KEY, signingKeyFile(settings.dataDir))
    : yield* asText(folder, SIGNING_KEY, yield* pemOf(settings.signingKey))
  return [
    ...yield* asText(folder, MASTER_KEY, masterKeyText(key)),
    ...yield* takeSubjectKeys(folder, settings),
    ...signing
  ]
})

const pemOf = (setting: Redacted.Redacted<string>) =>
  Effect.map(signingKeyOfSetting(setting), (key) => key.export({ type: "pkcs8", format: "pem" }).toString())

/** The log that was copied to the folder. */
export const takenLog = (folder: string) =>
  attempt(LOG, async (signal): Promise<FileEntry> => {
    return { name: LOG, ...(await digestOfFile(join(folder, LOG), signal)) }
  })
