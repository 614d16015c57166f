import { assert, describe, it } from "../../../support/it.ts"
import { Effect, Stream } from "effect"
import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { TreeHeadFile } from "../../../../ports/notary.ts"
import { type TreeHead, treeHeadLine } from "../../../../domain/log-proof/tree-head.ts"
import { layerTreeHeadFile, openTreeHeadLines } from "../../../../infrastructure/adapters/notary/tree-head-file.ts"
import { openLines } from "../../../../infrastructure/adapters/notary/lines.ts"
import { temporaryFolder } from "../../../support/temporary-folder.ts"

const treeHead = (number: number): TreeHead => ({
  number,
  from: number - 1,
  count: number,
  position: `${number}/${number}`,
  chainHash: "a".repeat(64),
  merkleRoot: "b".repeat(64),
  previous: null,
  at: "2026-11-21T00:00:00.000Z",
  keyId: "0123456789abcdef",
  signature: "c2lnbmVk"
})

const givenFile = Effect.gen(function* () {
  const path = join(yield* temporaryFolder, "new", "checkpoints.ndjson")
  const using = <A, E>(use: (file: TreeHeadFile["Service"]) => Effect.Effect<A, E>) =>
    Effect.provide(TreeHeadFile.use(use), layerTreeHeadFile(path))
  return {
    path,
    last: using(({ last }) => last),
    append: (...numbers: ReadonlyArray<number>) => using((file) => file.append(numbers.map(treeHead)))
  }
})

const linesOf = (...numbers: ReadonlyArray<number>): string =>
  numbers.map((number) => `${treeHeadLine(treeHead(number))}\n`).join("")

describe("the file of signed tree heads", () => {
  it.effect("is created with its first line, readable by the owner only", function* () {
    const { append, last, path } = yield* givenFile
    assert.isUndefined(yield* last)
    assert.isFalse(existsSync(path))
    yield* append(1)
    assert.strictEqual(statSync(path).mode & 0o777, 0o600)
    yield* append(2, 3)
    assert.strictEqual(readFileSync(path, "utf8"), linesOf(1, 2, 3))
    assert.deepStrictEqual(yield* last, treeHead(3))
  })

  it.effect("loses only an incomplete last line", function* () {
    const { append, last, path } = yield* givenFile
    for (const before of [[], [1], [1, 2, 3]]) {
      yield* append(9)
      writeFileSync(path, linesOf(...before) + linesOf(4).slice(0, 100))
      assert.deepStrictEqual(yield* last, before.length === 0 ? undefined : treeHead(before.length))
      yield* append(4, 5)
      assert.strictEqual(readFileSync(path, "utf8"), linesOf(...before, 4, 5))
    }
  })

  it.effect("finds its last line in a large file", function* () {
    const { append, last } = yield* givenFile
    yield* append(...Array.from({ length: 1_000 }, (_, n) => n + 1))
    assert.deepStrictEqual(yield* last, treeHead(1_000))
  })

  it.effect("refuses to append after an invalid last line, with advice", function* () {
    const { append, last, path } = yield* givenFile
    yield* append(1)
    appendFileSync(path, "{}\n")
    const { message } = yield* Effect.flip(last)
    assert.include(message, `the last line of ${path} is not a signed tree head: move the file away`)
  })

  it.effect("cuts off any part of its own line, and leaves every other file as it is", function* () {
    const { append, last, path } = yield* givenFile
    yield* append(1)
    const line = treeHeadLine(treeHead(1))
    for (const length of [1, 7, 20, 50, line.length]) {
      writeFileSync(path, line.slice(0, length))
      yield* append(2)
      assert.strictEqual(readFileSync(path, "utf8"), linesOf(2))
    }

    const foreign = [
      "1.",
      '{"at":"noon"}',
      "x".repeat(20_000),
      `${linesOf(1)}notes`,
      line.replace("c2lnbmVk", "c".repeat(900))
    ]
    for (const text of foreign) {
      writeFileSync(path, text)
      for (const use of [last, append(2)]) {
        const { message } = yield* Effect.flip(use)
        assert.include(message, `the last line of ${path} is not a signed tree head: move the file away`)
      }
      assert.strictEqual(readFileSync(path, "utf8"), text)
    }
  })

  it.effect("reports the reason when it cannot be written", function* () {
    const folder = yield* temporaryFolder
    const { message } = yield* Effect.flip(
      TreeHeadFile.use((file) => file.append([treeHead(1)])).pipe(Effect.provide(layerTreeHeadFile(folder)))
    )
    assert.match(message, /cannot be written: .*EISDIR/u)
  })

  it.effect("is read line by line, with invalid lines and without an incomplete last line", function* () {
    const { append, path } = yield* givenFile
    yield* append(1)
    appendFileSync(path, `nothing\n${linesOf(2).replace(":", ": ")}${linesOf(3)}${linesOf(4).slice(0, 50)}`)
    const lines = yield* Stream.runCollect(yield* openTreeHeadLines(path))
    assert.deepStrictEqual(
      lines,
      [treeHead(1), undefined, undefined, treeHead(3)].map((head, index) => ({
        place: `line ${index + 1} of ${path}`,
        treeHead: head
      }))
    )
  })
})

describe("the lines of a file", () => {
  const read = Effect.fnUntraced(function* (content: string | Uint8Array) {
    const file = join(yield* temporaryFolder, "file")
    writeFileSync(file, content)
    return (yield* Stream.runCollect(yield* openLines(file))).flat()
  })

  it.effect("do not depend on the size of chunks", function* () {
    for (const length of [1, 63, 1_000, 262_142, 262_143, 262_144, 600_000]) {
      const lines = ["ก".repeat(5), "x".repeat(length), "", "é", "y".repeat(length)]
      const found = yield* read(lines.map((line) => `${line}\n`).join(""))
      assert.deepStrictEqual(found.map(({ text }) => text), lines)
      assert.deepStrictEqual(found.map(({ number }) => number), [1, 2, 3, 4, 5])
    }
  })

  it.effect("show a line without an end, a line that is not text, and a line that is too long", function* () {
    assert.deepStrictEqual(yield* read(""), [])
    assert.deepStrictEqual(yield* read("a"), [{ number: 1, text: "a", isEnded: false }])
    assert.deepStrictEqual(yield* read("a\nb"), [
      { number: 1, text: "a", isEnded: true },
      { number: 2, text: "b", isEnded: false }
    ])
    const broken = Buffer.concat([Buffer.from("a\n"), Buffer.of(0xff, 0x0a), Buffer.from("c\n")])
    assert.deepStrictEqual((yield* read(broken)).map(({ text }) => text), ["a", undefined, "c"])
    const long = yield* read(`a\n${"x".repeat(17 * 1024 * 1024)}\nc\n`)
    assert.deepStrictEqual(long.map(({ text }) => text), ["a", undefined, "c"])
  })

  it.effect("end where the file ended when it was opened", function* () {
    const file = join(yield* temporaryFolder, "file")
    writeFileSync(file, "a\nb\n")
    const lines = yield* openLines(file)
    appendFileSync(file, "c\n")
    assert.deepStrictEqual((yield* Stream.runCollect(lines)).flat().map(({ text }) => text), ["a", "b"])
    assert.match((yield* Effect.flip(openLines(join(file, "none")))).message, /cannot be read: .*ENOTDIR/u)
    const shortened = yield* openLines(file)
    writeFileSync(file, "")
    assert.match((yield* Effect.flip(Stream.runDrain(shortened))).message, /cannot be read: it was truncated/u)
  })
})
