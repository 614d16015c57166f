import { Data, Effect, Redacted, Schema } from "effect"
import { createSecretKey, type KeyObject, randomBytes } from "node:crypto"
import { fstatSync, fsyncSync, readFileSync, statSync, writeSync } from "node:fs"
import { keyAt, type KeyTree, type OneWay, wholeTree, withoutKey } from "../../../domain/key-tree.ts"
import { Sealed } from "../../../domain/sealed.ts"
import { createFileAtomic, isMissing, withFile, writeFileAtomic } from "../../platform/atomic-file.ts"
import { sha256 } from "../../platform/sha256.ts"
import { decrypt, deriveKey, encrypt, makeNonces } from "./encryption.ts"
import { withFileLock } from "./file-lock.ts"

/** The subject keys cannot be read or written. `message` says what to do. */
export class SubjectKeysError extends Data.TaggedError("SubjectKeysError")<{ readonly message: string }> {}

/** One key per subject. Each key can be destroyed. */
export interface SubjectKeys {
  /** Eight hexadecimal digits that identify this set of keys. Another folder has another set. */
  readonly ring: string
  /** The key at a path of the key tree. Undefined when the key was destroyed. Throws `SubjectKeysError` while the file cannot be read. */
  readonly at: (path: string) => KeyObject | undefined
  /** Reads the file again if it has changed. Throws `SubjectKeysError` while it cannot be read. */
  readonly refresh: () => void
  /** Destroys keys. When it returns, the file holds nothing from which they can be derived. */
  readonly destroy: (paths: ReadonlyArray<string>) => Effect.Effect<void, SubjectKeysError>
}

/** Also the name of the key in the file: part of the file format. */
const PURPOSE = "subject-keys"
const OWNER_ONLY = 0o600

/** How long this process may use a key that another process has destroyed. */
const MAX_STALENESS_MILLIS = 1_000

/** Derived keys in memory. One verification uses the key of its slip several times in a row. */
const MAX_CACHED_KEYS = 256

interface Ring {
  readonly ring: string
  readonly tree: KeyTree
}

const newRing = (): Ring => ({ ring: randomBytes(4).toString("hex"), tree: wholeTree(randomBytes(32)) })

const encode = ({ ring, tree }: Ring): string =>
  [ring, ...[...tree].map(([path, node]) => `${path}:${Buffer.from(node).toString("base64")}`)].join("\n")

const decode = (text: string): Ring => {
  const [ring = "", ...lines] = text.split("\n")
  const nodes = lines.map((line): [string, Uint8Array] => {
    const [path = "", node = ""] = line.split(":")
    return [path, Buffer.from(node, "base64")]
  })
  return { ring, tree: new Map(nodes) }
}

const decodeFile = Schema.decodeUnknownSync(Schema.fromJsonString(Sealed))

const hashInput = Buffer.alloc(33)

const oneWay: OneWay = (node, digit) => {
  hashInput.set(node)
  hashInput[32] = digit
  return sha256(hashInput)
}

/** Changes whenever the file changes. Undefined when the file does not exist. */
const fileVersion = (file: string): string | undefined => {
  try {
    const { ino, mtimeMs, size } = statSync(file)
    return `${ino} ${mtimeMs} ${size}`
  } catch (cause) {
    if (isMissing(cause)) return undefined
    throw cause
  }
}

/**
 * Opens the keys in a file that is encrypted under the master key. With `create` a missing file is created. Processes
 * that share the file see each other's changes within a second. Only one process at a time can destroy keys.
 */
export const openSubjectKeys = (
  file: string,
  masterKey: Redacted.Redacted<Uint8Array>,
  { create }: { readonly create: boolean }
) =>
  Effect.try({
    try: (): SubjectKeys => {
      const fileKey = deriveKey(Redacted.value(masterKey), PURPOSE)
      const nextNonce = makeNonces()
      const toFile = (ring: Ring) => JSON.stringify(encrypt(fileKey, PURPOSE, nextNonce(), PURPOSE, encode(ring)))
      const read = (): Ring => decode(decrypt(fileKey, PURPOSE, decodeFile(readFileSync(file, "utf8"))))
      if (create && fileVersion(file) === undefined) createFileAtomic(file, toFile(newRing()), OWNER_ONLY)
      // The version first: a change between the two is then read again, and no erased key comes back from `current`.
      let version = fileVersion(file)
      let current = read()
      let checkedAt = performance.now()
      /** Keys of `current` by path. */
      const cache = new Map<string, KeyObject>()

      /** A key in memory may be destroyed while the file cannot be read: then each call fails, and tries again. */
      const refresh = (): Ring => {
        const now = performance.now()
        checkedAt = -Infinity
        try {
          const latest = fileVersion(file)
          if (latest !== version) {
            current = read()
            version = latest
            cache.clear()
          }
        } catch (cause) {
          throw notRead(file, cause)
        }
        checkedAt = now
        return current
      }

      const at = (path: string): KeyObject | undefined => {
        const { tree } = performance.now() - checkedAt < MAX_STALENESS_MILLIS ? current : refresh()
        const cached = cache.get(path)
        if (cached !== undefined) return cached
        const bytes = keyAt(tree, path, oneWay)
        if (bytes === undefined) return undefined
        const key = createSecretKey(bytes)
        if (cache.size === MAX_CACHED_KEYS) cache.clear()
        cache.set(path, key)
        return key
      }

      const destroy = (paths: ReadonlyArray<string>) => {
        const { ring, tree } = refresh()
        const remaining = paths.reduce((nodes, path) => withoutKey(nodes, path, oneWay), tree)
        if (remaining !== tree) replaceAndOverwrite(file, toFile({ ring, tree: remaining }), requireUnchanged)
        refresh()
      }
      /** A process that was stopped can lose the lock. Its keys would bring back those that another one has destroyed. */
      const requireUnchanged = () => {
        if (fileVersion(file) !== version) throw new Error("another process changed it at the same time")
      }
      const notWritten = (cause: unknown) =>
        new SubjectKeysError({
          message:
            `${file} cannot be written: ${String(cause)}. Repeat the erasure; if it fails again, check the rights `
            + "and the space of the folder"
        })

      return {
        ring: current.ring,
        at,
        refresh,
        destroy: (paths) => withFileLock(file, Effect.try({ try: () => destroy(paths), catch: notWritten }), notWritten)
      }
    },
    catch: (cause) => notRead(file, cause)
  })

const notRead = (file: string, cause: unknown) =>
  new SubjectKeysError({
    message: isMissing(cause)
      ? `${file} is missing. The personal data in the log cannot be read without it: restore it from a backup`
      : `${file} cannot be read: ${String(cause)}. Check that it belongs to this MASTER_KEY`
  })

/**
 * Replaces a key file, then overwrites the old content with zeros. `check` runs right before and may throw. Copies,
 * snapshots and the cells of a flash disk can still hold the old content; no program can reach them.
 */
const replaceAndOverwrite = (file: string, text: string, check: () => void): void =>
  withFile(file, "r+", OWNER_ONLY, (old) => {
    const { size } = fstatSync(old)
    writeFileAtomic(file, text, OWNER_ONLY, check)
    writeSync(old, new Uint8Array(size), 0, size, 0)
    fsyncSync(old)
  })
