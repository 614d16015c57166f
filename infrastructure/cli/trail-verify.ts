import { Console, Effect, Layer, Option } from "effect"
import { Command } from "effect/cli"
import { type Evidence, type LogVerdict, verifyLog } from "../../application/log-proof/verify-log.ts"
import { openCheckpointLines } from "../notary/tree-head-lines.ts"
import { openExportedLog } from "../notary/exported-log.ts"
import { layerHashing } from "../notary/hashing.ts"
import { layerWitness } from "../notary/public-keys.ts"
import { openEvidence } from "../runtime/log-proof.ts"
import { readSettings } from "../settings/settings.ts"
import { layerIdentifiers } from "../keys/identifiers.ts"
import { answerIsNo } from "./exit.ts"
import { jsonFlag, maybe } from "./flags.ts"
import { note, print } from "./output.ts"
import { makeProgress } from "./progress.ts"
import { keyFlag, trustedKeys } from "./trusted-keys.ts"

/** Findings that are shown to a person. */
const SHOWN = 20

/** A whole log as it was exported, with what was given along with it: nothing of this machine is asked. */
const openExport = Effect.fnUntraced(function* (log: string, file: string | undefined) {
  const lines = file === undefined ? undefined : yield* openCheckpointLines(file)
  return { source: yield* openExportedLog(log), evidence: { lines, seen: [] } satisfies Evidence, file }
})

const examine = Effect.fnUntraced(function* (flags: {
  readonly file: string | undefined
  readonly checkpoints: string | undefined
  readonly key: string | undefined
}) {
  const keys = yield* trustedKeys(flags.key)
  const progress = yield* makeProgress
  const { evidence, file, source } = flags.file === undefined
    ? yield* openEvidence(yield* readSettings, flags.checkpoints)
    : yield* openExport(flags.file, flags.checkpoints)
  const verdict = yield* verifyLog(source, evidence, (events) => progress.say(`${told(events)} events read`)).pipe(
    Effect.provide(Layer.mergeAll(layerHashing, layerWitness(keys), layerIdentifiers))
  )
  return { ...verdict, file: file ?? null }
}, Effect.scoped)

const told = (count: number): string => count.toLocaleString("en-US")

const counted = (count: number, what: string): string => `${told(count)} ${what}${count === 1 ? "" : "s"}`

const proven = ({ checkpoint, covered, events, isWhole, signedBy, uncovered }: LogVerdict): string => {
  if (checkpoint === null) {
    return `No checkpoint was signed yet: nothing is proven of the ${counted(events, "event")}`
  }
  const keys = Object.keys(signedBy).join(", ") || "no key that is trusted"
  const signed = `${counted(checkpoint.number, "checkpoint")}, the last one of ${checkpoint.at}, signed by ${keys}`
  if (!isWhole) return `${counted(events, "event")} were read, ${told(covered)} were signed, by ${signed}`
  // A checkpoint is an event too, and the next one covers it.
  const more = uncovered === 0 ? "" : ` and ${counted(uncovered, "event")} more`
  return `${counted(covered, "event")} are covered by ${signed}; behind them the log has that checkpoint${more}, which `
    + "the next one will cover"
}

const compared = ({ checkpoint, file, inFile }: LogVerdict & { readonly file: string | null }): string => {
  if (file === null) {
    return "There was no file of checkpoints to hold it against: a log that was written anew by whoever has the key "
      + "would look the same"
  }
  const behind = (checkpoint?.number ?? 0) - inFile
  const less = behind > 0 ? `, ${behind} less than the log: a copy of before, or one that was shortened` : ""
  return `${file} has ${counted(inFile, "checkpoint")}${less}`
}

const PART_OF_A_LOG =
  "Only the export of a whole log can be held against its checkpoints. Of a part of it, such as one "
  + "branch or one slip, sliptrail trail prove gives a proof."

const explain = Effect.fnUntraced(
  function* (verdict: LogVerdict & { readonly file: string | null }, isExport: boolean) {
    const { checkpoint, findingCount, findings, isWhole } = verdict
    yield* Console.log([
      ...findings.slice(0, SHOWN).map(({ message }) => message),
      ...(isWhole && checkpoint !== null ? ["The log is whole."] : []),
      proven(verdict),
      compared(verdict),
      ...(isWhole || !isExport ? [] : [PART_OF_A_LOG])
    ].join("\n"))
    if (findingCount > SHOWN) {
      yield* note(`… and ${told(findingCount - SHOWN)} more findings; with --json a thousand are told`)
    }
  }
)

export const verify = Command.make(
  "verify",
  {
    file: maybe("file", "A whole log as trail export --format ndjson writes it; without it the log of the settings"),
    checkpoints: maybe(
      "checkpoints",
      "File of checkpoints, best a copy that was kept elsewhere; default CHECKPOINT_FILE"
    ),
    key: keyFlag,
    json: jsonFlag
  },
  Effect.fnUntraced(function* ({ checkpoints, file, json, key }) {
    const verdict = yield* examine({
      file: Option.getOrUndefined(file),
      checkpoints: Option.getOrUndefined(checkpoints),
      key: Option.getOrUndefined(key)
    }).pipe(
      Effect.catchIf(
        (error) => error._tag === "LogSourceError" && error.isDamaged,
        ({ message }) => Effect.fail(answerIsNo(message))
      )
    )
    yield* print(json, verdict, (verdict) => explain(verdict, Option.isSome(file)))
    if (!verdict.isWhole) {
      return yield* answerIsNo(`the log is not what was signed: ${counted(verdict.findingCount, "finding")}`)
    }
  })
).pipe(Command.withDescription("Prove that nothing in the log was changed, removed or cut off, and say where it was"))
