import { Data, Effect, Redacted, Schema } from "effect"
import { createSecretKey, type KeyObject, randomBytes } from "node:crypto"
import { readFileSync, statSync } from "node:fs"
import { keyAt, type KeyTree, type OneWay, wholeTree, withoutKey } from "../../domain/key-tree.ts"
import { Sealed } from "../../domain/sealed.ts"
import { sha256 } from "../sha256.ts"
import { whileLocked } from "./file-lock.ts"
import { isMissing, makeKeyFile, replaceKeyFile } from "./key-file.ts"
import { makeNonces, open, seal, subkey } from "./sealing.ts"

/** The keys of subjects can't be had; `message` says what to do. */
export class SubjectKeysError extends Data.TaggedError("SubjectKeysError")<{ readonly message: string }> {}

/** A key for every subject, each of which can be destroyed. */
export interface SubjectKeys {
  /** Eight hexadecimal digits: which keys these are, to tell them from those of another folder. */
  readonly ring: string
  /** The key at a path of the tree; undefined when it was destroyed. */
  readonly at: (path: string) => KeyObject | undefined
  /** Destroys keys. When it returns the file holds nothing from which they follow. */
  readonly destroy: (paths: ReadonlyArray<string>) => Effect.Effect<void, SubjectKeysError>
}

const PURPOSE = "subject-keys"

const decodeFile = Schema.decodeUnknownSync(Schema.fromJsonString(Sealed))

/** How long another process's destruction of a key may go unnoticed. */
const FRESH_MILLIS = 1_000

/** How many keys are kept beside the tree: what is done with one slip needs its key several times in a row. */
const KEPT_KEYS = 256

const hashed = Buffer.alloc(33)

const oneWay: OneWay = (node, digit) => {
  hashed.set(node)
  hashed[32] = digit
  return sha256(hashed)
}

interface Ring {
  readonly ring: string
  readonly tree: KeyTree
}

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

const newRing = (): Ring => ({ ring: randomBytes(4).toString("hex"), tree: wholeTree(randomBytes(32)) })

/** What tells one state of the file from another; undefined when there is no file. */
const stateOf = (file: string): string | undefined => {
  try {
    const { ino, mtimeMs, size } = statSync(file)
    return `${ino} ${mtimeMs} ${size}`
  } catch (cause) {
    if (isMissing(cause)) return undefined
    throw cause
  }
}

/**
 * The keys in a file, sealed under the master key; made the first time when `create` is set. Processes that share the
 * file see each other's changes within a second; one at a time may destroy.
 */
export const openSubjectKeys = (
  file: string,
  masterKey: Redacted.Redacted<Uint8Array>,
  { create }: { readonly create: boolean }
) =>
  Effect.try({
    try: (): SubjectKeys => {
      const key = subkey(Redacted.value(masterKey), PURPOSE)
      const nextNonce = makeNonces()
      const sealed = (ring: Ring) => JSON.stringify(seal(key, PURPOSE, nextNonce(), PURPOSE, encode(ring)))
      const read = (): Ring => decode(open(key, PURPOSE, decodeFile(readFileSync(file, "utf8"))))
      if (create && stateOf(file) === undefined) makeKeyFile(file, sealed(newRing()))
      let known = read()
      let state = stateOf(file)
      let lookedAt = performance.now()
      /** Of `known`, by their paths. */
      const keys = new Map<string, KeyObject>()

      const refresh = (): Ring => {
        lookedAt = performance.now()
        const now = stateOf(file)
        if (now !== state) {
          known = read()
          state = now
          keys.clear()
        }
        return known
      }
      const current = (): Ring => performance.now() - lookedAt < FRESH_MILLIS ? known : refresh()

      const at = (path: string): KeyObject | undefined => {
        const { tree } = current()
        const kept = keys.get(path)
        if (kept !== undefined) return kept
        const bytes = keyAt(tree, path, oneWay)
        if (bytes === undefined) return undefined
        const key = createSecretKey(bytes)
        if (keys.size === KEPT_KEYS) keys.clear()
        keys.set(path, key)
        return key
      }

      const destroy = (paths: ReadonlyArray<string>) => {
        const { ring, tree } = refresh()
        const left = paths.reduce((rest, path) => withoutKey(rest, path, oneWay), tree)
        if (left !== tree) replaceKeyFile(file, sealed({ ring, tree: left }))
        refresh()
      }
      const notWritten = (cause: unknown) =>
        new SubjectKeysError({ message: `${file} cannot be written: ${String(cause)}` })

      return {
        ring: known.ring,
        at,
        destroy: (paths) => whileLocked(file, Effect.try({ try: () => destroy(paths), catch: notWritten }), notWritten)
      }
    },
    catch: (cause) =>
      new SubjectKeysError({
        message: isMissing(cause)
          ? `${file} is missing: put it back, what the log holds of persons can't be read without it`
          : `${file} cannot be read: ${String(cause)}; does it belong to this MASTER_KEY?`
      })
  })
