import { assert, describe, it } from "../../../support/it.ts"
import { Effect, Fiber, Redacted } from "effect"
import {
  closeSync,
  copyFileSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { dirname, join } from "node:path"
import { Vault } from "../../../../ports/vault.ts"
import { openSubjectKeys } from "../../../../infrastructure/adapters/keys/subject-keys.ts"
import { layerVault } from "../../../../infrastructure/adapters/keys/vault.ts"
import { untilDone } from "../../../support/advance-clock.ts"
import { temporaryFolder } from "../../../support/temporary-folder.ts"

const master = Redacted.make(new Uint8Array(32).fill(7))
const one = "0123456789abcdef"
const other = "0123456789abcdee"

const keyFile = Effect.map(temporaryFolder, (folder) => join(folder, "subjects.key"))
const opened = (file: string, create = true) => openSubjectKeys(file, master, { create })

const vaultOf = Effect.fnUntraced(function* (file: string) {
  const keys = yield* opened(file)
  return yield* Effect.provide(Vault, layerVault(master, keys))
})

describe("the subject keys", () => {
  it.effect("are created once, readable by the owner only, and stay the same", function* () {
    const file = yield* keyFile
    const keys = yield* opened(file)
    assert.strictEqual(statSync(file).mode & 0o777, 0o600)
    const again = yield* opened(file)
    assert.strictEqual(again.ring, keys.ring)
    assert.isTrue(again.at(one)?.equals(keys.at(one) ?? assert.fail("no key")))
    assert.isFalse(again.at(one)?.equals(keys.at(other) ?? assert.fail("no key")))
  })

  it.effect("are encrypted in their file and open only under their master key", function* () {
    const file = yield* keyFile
    yield* opened(file)
    const wrong = Redacted.make(new Uint8Array(32).fill(8))
    const error = yield* Effect.flip(openSubjectKeys(file, wrong, { create: true }))
    assert.include(error.message, "Check that it belongs to this MASTER_KEY")
    assert.match(readFileSync(file, "utf8"), /^\{"k":"subject-keys","n":"[^"]+","c":"[^"]+"\}$/u)
  })

  it.effect("are not created by a process that only reads", function* () {
    const file = yield* keyFile
    const error = yield* Effect.flip(opened(file, false))
    assert.include(error.message, "is missing.")
  })

  it.effect("cannot be derived after their destruction; other keys stay and the old file content is overwritten", function* () {
    const file = yield* keyFile
    const keys = yield* opened(file)
    const otherKey = keys.at(other)
    const before = openSync(file, "r")
    yield* keys.destroy([one])
    const bytes = Buffer.alloc(fstatSync(before).size, 1)
    readSync(before, bytes, 0, bytes.length, 0)
    closeSync(before)
    assert.isTrue(bytes.every((byte) => byte === 0), "the old seed is still in the file")

    for (const current of [keys, yield* opened(file)]) {
      assert.isUndefined(current.at(one))
      assert.isTrue(current.at(other)?.equals(otherKey ?? assert.fail("no key")))
    }
    yield* keys.destroy([one])
    assert.isUndefined(keys.at(one))
  })

  it.effect("are created by one of several processes that start together; each sees the keys that another destroys", function* () {
    const file = yield* keyFile
    const all = yield* Effect.all(Array.from({ length: 5 }, () => opened(file)), { concurrency: "unbounded" })
    assert.lengthOf(new Set(all.map(({ ring }) => ring)), 1)
    const paths = all.map((_, index) => `${index}`.repeat(16))
    yield* Effect.forEach(all, (keys, index) => keys.destroy([paths[index] ?? ""]), { concurrency: "unbounded" })
    const left = yield* opened(file)
    for (const path of paths) assert.isUndefined(left.at(path))
    assert.deepStrictEqual(readdirSync(dirname(file)), ["subjects.key"])
  })

  it.effect("are destroyed in spite of a lock that a process left behind when it died", function* () {
    const file = yield* keyFile
    const keys = yield* opened(file)
    writeFileSync(`${file}.lock`, "")
    const erasing = yield* Effect.forkChild(keys.destroy([one]), { startImmediately: true })
    yield* untilDone(erasing)
    yield* Fiber.join(erasing)
    assert.isUndefined(keys.at(one))
  })

  it.effect("stay destroyed when two processes hold the lock: the later one fails, and can repeat", function* () {
    const file = yield* keyFile
    const keys = yield* opened(file)
    const copy = join(dirname(file), "copy.key")
    copyFileSync(file, copy)
    yield* (yield* opened(copy)).destroy([other])
    // The other process replaces the file after this one has read it.
    const paths = Object.defineProperty([one], 0, {
      get: () => {
        renameSync(copy, file)
        return one
      }
    })

    const { message } = yield* Effect.flip(keys.destroy(paths))

    assert.include(message, "another process changed it at the same time. Repeat the erasure")
    yield* keys.destroy([one])
    for (const path of [one, other]) assert.isUndefined((yield* opened(file)).at(path))
  })

  it.effect("are not used from the failed reading of the file until it can be read again", function* () {
    const file = yield* keyFile
    const keys = yield* opened(file)
    const key = keys.at(one)
    const { available, open, seal } = yield* Effect.provide(Vault, layerVault(master, keys))
    const sealed = yield* seal("remark", "order 42", "slip:a")
    renameSync(file, `${file}.away`)
    assert.strictEqual((yield* Effect.flip(available)).reason, "not-read")
    for (const _ of [1, 2]) {
      assert.throws(() => keys.at(one), "subjects.key is missing. The personal data in the log cannot be read")
      assert.strictEqual((yield* Effect.flip(open("remark", sealed))).reason, "not-read")
    }
    renameSync(`${file}.away`, file)
    assert.isTrue(keys.at(one)?.equals(key ?? assert.fail("no key")))
    yield* available
  })

  it.effect("fail with an error when the file cannot be written", function* () {
    const file = yield* keyFile
    const keys = yield* opened(file)
    rmSync(file)
    const error = yield* Effect.flip(keys.destroy([one]))
    assert.include(error.message, "cannot be written")
  })
})

describe("the vault with subject keys", () => {
  it.effect("opens the values of a subject until that subject is erased, and always opens all other values", function* () {
    const { erase, open, seal } = yield* vaultOf(yield* keyFile)
    const mine = yield* seal("remark", "order 42", "slip:a")
    const theirs = yield* seal("remark", "order 43", "slip:b")
    const ofNoSubject = yield* seal("remark", "order 44")
    assert.match(mine.k, /^s-[0-9a-f]{8}-[0-9a-f]{16}$/u)
    assert.strictEqual(yield* open("remark", mine), "order 42")

    yield* erase(["slip:a"])

    assert.strictEqual((yield* Effect.flip(open("remark", mine))).reason, "forgotten")
    assert.strictEqual(yield* open("remark", theirs), "order 43")
    assert.strictEqual(yield* open("remark", ofNoSubject), "order 44")
  })

  it.effect("seals no later value of an erased subject", function* () {
    const { erase, open, seal } = yield* vaultOf(yield* keyFile)
    yield* erase(["slip:a"])
    const late = yield* seal("remark", "order 42", "slip:a")
    assert.deepInclude(late, { n: "", c: "" })
    assert.strictEqual((yield* Effect.flip(open("remark", late))).reason, "forgotten")
  })

  it.effect("distinguishes values of other keys from erased ones, and refuses to erase without subject keys", function* () {
    const mine = yield* vaultOf(yield* keyFile)
    const other = yield* vaultOf(yield* keyFile)
    const sealed = yield* mine.seal("remark", "order 42", "slip:a")
    assert.strictEqual((yield* Effect.flip(other.open("remark", sealed))).reason, "unknown-key")
    const without = yield* Effect.provide(Vault, layerVault(master))
    assert.strictEqual((yield* Effect.flip(without.open("remark", sealed))).reason, "unknown-key")
    assert.strictEqual((yield* Effect.flip(without.erase(["slip:a"]))).reason, "unknown-key")
    assert.match((yield* without.seal("remark", "order 42", "slip:a")).k, /^m-/u)
  })
})
