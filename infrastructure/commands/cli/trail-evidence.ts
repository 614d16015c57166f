import { Console, Effect, Stream } from "effect"
import { Command } from "effect/cli"
import { treeHeadLines } from "../../../application/log-proof/list-tree-heads.ts"
import { decodeTreeHeadQuery } from "../../web/input/proof-query.ts"
import { pemOf } from "../../adapters/notary/signing-keys.ts"
import { publicKeysOf } from "../../runtime/log-proof.ts"
import { readSettings } from "../../platform/settings/settings.ts"
import { visibleText } from "../../platform/visible-text.ts"
import { answerIsNo } from "./exit.ts"
import { writeTo } from "./export-target.ts"
import { decodeFlags, optionalText, outFlag } from "./flags.ts"
import { newFileOr } from "./new-file.ts"
import { atTarget } from "./operation.ts"
import { makeProgress, note } from "./output.ts"
import { receiveLines, receiveText } from "./receive-lines.ts"
import { layerLogAsIs } from "./stores.ts"

const writeTreeHeads = Effect.fnUntraced(function* (after: string | undefined, out: string | undefined) {
  const target = yield* newFileOr(out)
  const progress = yield* makeProgress
  let count = 0
  const write = Effect.fnUntraced(function* (lines: string) {
    yield* progress.clear
    yield* writeTo(target)(lines)
    count += lines.split("\n").length - 1
    yield* progress.report(`${count.toLocaleString("en-US")} tree heads`)
  })
  yield* atTarget(
    ({ open }) =>
      Effect.flatMap(open({ name: "listTreeHeads", query: { after } }), (read) => receiveLines(read, write)),
    Stream.runForEach(treeHeadLines(Number(after ?? "0")), write).pipe(
      Effect.catchTag("TreeHeadUnreadable", ({ message }) => Effect.fail(answerIsNo(message))),
      Effect.provide(layerLogAsIs)
    )
  )
  yield* target.finish
  yield* note(count === 1 ? "1 tree head" : `${count} tree heads`)
}, Effect.scoped)

/** The file of `trail verify --checkpoints`. */
export const treeHeads = Command.make(
  "tree-heads",
  {
    after: optionalText("after", "Only tree heads after the one with that number, such as the last of an earlier copy"),
    out: outFlag("New file to write")
  },
  Effect.fnUntraced(function* ({ after, out }) {
    const query = yield* decodeFlags(decodeTreeHeadQuery, { after: after?.trim() })
    yield* Effect.catchTag(writeTreeHeads(query.after, out), "PipeClosed", () => Effect.void)
  })
).pipe(Command.withDescription("Write the signed tree heads of the log, oldest first: a copy proves the log later"))

/** The public keys of this machine, in PEM. */
const keysHere = Effect.gen(function* () {
  const keys = yield* publicKeysOf(yield* readSettings)
  return keys.map(pemOf).join("")
}).pipe(
  Effect.catchTag("SigningKeyError", ({ message }) => Effect.fail(answerIsNo(`there is no public key: ${message}`)))
)

/** The file of `trail check-proof --key` and `trail verify --key`. */
export const signingKey = Command.make(
  "signing-key",
  { out: outFlag("New file to write") },
  Effect.fnUntraced(function* ({ out }) {
    const keys = yield* atTarget(
      ({ open }) => Effect.flatMap(open({ name: "getSigningKey" }), receiveText),
      keysHere
    )
    if (out === undefined) return yield* Console.log(visibleText(keys.trimEnd()))
    const target = yield* newFileOr(out)
    yield* target.write(keys)
    yield* target.finish
    yield* note(`The public key is in ${out}. Compare it with a copy from its owner before you trust it`)
  }, Effect.scoped)
).pipe(Command.withDescription("Write the public key of the signed tree heads"))
