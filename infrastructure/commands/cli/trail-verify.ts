import { Console, Duration, Effect, Layer } from "effect"
import { Command } from "effect/cli"
import { finding } from "../../../application/log-proof/verify-log/findings.ts"
import { type Evidence, type LogVerdict, verifyLog } from "../../../application/log-proof/verify-log/verify-log.ts"
import { describeDifferences, type ModelDifferences } from "../../../projections/engine/model-difference.ts"
import { layerIdentifiers } from "../../adapters/keys/identifiers.ts"
import { openExportedLog } from "../../adapters/notary/exported-log.ts"
import { layerHashing, layerSignatureVerifier } from "../../adapters/notary/signing-keys.ts"
import { openTreeHeadLines } from "../../adapters/notary/tree-head-file.ts"
import { openEvidence, publicKeysIn, publicKeysOf } from "../../runtime/log-proof.ts"
import { differencesOfModels, type NotCompared } from "../../runtime/model-integrity.ts"
import { readSettings, type Settings } from "../../platform/settings/settings.ts"
import { visibleLine } from "../../platform/visible-text.ts"
import { painted } from "./colors.ts"
import { answerIsNo, nothingProven } from "./exit.ts"
import { jsonFlag, optionalText, switchFlag } from "./flags.ts"
import { makeProgress, note, print } from "./output.ts"
import { withoutAdminOperation } from "./target.ts"

export const keyFlag = optionalText(
  "key",
  "File with the trusted public keys; default signing.pub of the data folder"
)

/** The keys of the file; without a file those of the settings. */
export const trustedKeys = Effect.fnUntraced(function* (file: string | undefined) {
  return yield* file === undefined ? Effect.flatMap(readSettings, publicKeysOf) : publicKeysIn(file)
})

/** The most findings that are printed. */
const MAX_SHOWN = 20

type Differences = Effect.Effect<ReadonlyArray<ModelDifferences>, NotCompared>

const nothingCompared: Differences = Effect.succeed([])

/** An exported log and its file of tree heads. Does not read the settings of this machine. */
const openExport = Effect.fnUntraced(function* (log: string, file: string | undefined) {
  const lines = file === undefined ? undefined : yield* openTreeHeadLines(file)
  return {
    source: yield* openExportedLog(log),
    evidence: { lines, seen: [] } satisfies Evidence,
    file,
    total: undefined,
    differences: nothingCompared
  }
})

/** The log of the settings. Positions of an embedded log count its events, so the read models say how many there are. */
const openOwnLog = Effect.fnUntraced(function* (checkpoints: string | undefined) {
  const settings = yield* readSettings
  const opened = yield* openEvidence(settings, checkpoints)
  const counts = opened.evidence.seen.map(({ position }) => Number(position.commit))
  return {
    ...opened,
    differences: differencesOfModels(settings) satisfies Differences,
    total: settings.eventStoreUrl === undefined && counts.length > 0 ? Math.max(...counts) : undefined
  }
})

const examine = Effect.fnUntraced(function* (flags: {
  readonly file: string | undefined
  readonly checkpoints: string | undefined
  readonly key: string | undefined
}) {
  const keys = yield* trustedKeys(flags.key)
  const progress = yield* makeProgress
  const { differences, evidence, file, source, total } = flags.file === undefined
    ? yield* openOwnLog(flags.checkpoints)
    : yield* openExport(flags.file, flags.checkpoints)
  const verdict = yield* verifyLog(
    source,
    evidence,
    (events) => progress.report(`${grouped(events)} events read`, events, total)
  )
    .pipe(
      Effect.provide(Layer.mergeAll(layerHashing, layerSignatureVerifier(keys), layerIdentifiers))
    )
  yield* progress.report("comparing the read models with the log")
  const compared = yield* differences.pipe(
    // The service replaces read models that cannot be read. Nothing about the log depends on them.
    Effect.catchTag("NotCompared", ({ message }) => Effect.andThen(note(message), nothingCompared))
  )
  return { ...withModels(verdict, compared), file: file ?? null }
}, Effect.scoped)

interface Verdict extends LogVerdict {
  readonly file: string | null
}

/** The verdict with the differences of the read models as findings. */
const withModels = (verdict: LogVerdict, differences: ReadonlyArray<ModelDifferences>) => {
  const found = differences.flatMap(describeDifferences).map(({ mend, what }) => finding("model", `${what}; ${mend}`))
  return {
    ...verdict,
    isWhole: verdict.isWhole && found.length === 0,
    findings: [...verdict.findings, ...found],
    findingCount: verdict.findingCount + found.length
  }
}

const grouped = (count: number): string => count.toLocaleString("en-US")

const counted = (count: number, noun: string): string => `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`

const proven = ({ checkpoint, covered, events, isWhole, signedBy, uncovered }: Verdict): string => {
  if (checkpoint === null) {
    return `No tree head is signed yet: nothing is proven about the ${counted(events, "event")}.`
  }
  const keys = Object.keys(signedBy).join(", ") || "no trusted key"
  const signed = `${counted(checkpoint.number, "tree head")}, the last one of ${checkpoint.at}, signed by ${keys}`
  if (!isWhole) return `${counted(events, "event")} were read, ${grouped(covered)} were signed, by ${signed}`
  // A tree head is an event too: the next one covers it.
  const more = uncovered === 0 ? "" : ` and ${counted(uncovered, "event")} more`
  return `${counted(covered, "event")} are covered by ${signed}. The next tree head will cover that tree head${more}`
}

const compared = ({ checkpoint, file, inFile }: Verdict): string => {
  if (file === null) {
    return "There was no file of tree heads to compare with: a log that the owner of the key rewrote would look the "
      + "same"
  }
  const behind = (checkpoint?.number ?? 0) - inFile
  const less = behind > 0 ? `, ${behind} fewer than the log: it is an older copy, or it was shortened` : ""
  return `${file} has ${counted(inFile, "tree head")}${less}`
}

/** What is wrong, in one line. A changed log differs from its read models too. */
const verdictOf = ({ findingCount, findings }: Verdict): string => {
  const count = counted(findingCount, "finding")
  if (findings.some(({ kind }) => kind !== "quota" && kind !== "model")) {
    return `the log differs from what was signed: ${count}`
  }
  return findings.some(({ kind }) => kind === "quota")
    ? `the log has more charges than a quota allows: ${count}`
    : `the read models differ from the log: ${count}`
}

type Signing = Pick<Settings, "checkpointEvents" | "checkpointInterval">

/** When a service with a signing key signs. An export holds only what was signed before it. */
const nextTreeHead = (signing: Signing | undefined): string => {
  if (signing === undefined) {
    return "An export has the tree heads that were signed before it: export the log again later."
  }
  const { checkpointEvents, checkpointInterval } = signing
  return `A running service signs after ${counted(checkpointEvents, "event")}, `
    + `${grouped(Duration.toSeconds(checkpointInterval))} seconds after the first event, and when it stops.`
}

const PART_OF_A_LOG =
  "Only the export of a whole log can be verified. For a part of it, such as one branch or one slip, use "
  + "sliptrail trail prove."

const printVerdict = Effect.fnUntraced(
  function* (verdict: Verdict, signing: Signing | undefined) {
    const { checkpoint, findingCount, findings, isWhole } = verdict
    yield* Console.log([
      ...findings.slice(0, MAX_SHOWN).map(({ message }) => painted("bad", visibleLine(message))),
      ...(isWhole && checkpoint !== null ? [painted("good", "The log is complete and unchanged.")] : []),
      proven(verdict),
      ...(checkpoint === null ? [nextTreeHead(signing)] : []),
      compared(verdict),
      ...(isWhole || signing !== undefined ? [] : [PART_OF_A_LOG])
    ].join("\n"))
    if (findingCount > MAX_SHOWN) {
      yield* note(`… and ${grouped(findingCount - MAX_SHOWN)} more findings: --json prints up to a thousand`)
    }
  }
)

export const verify = Command.make(
  "verify",
  {
    file: optionalText(
      "file",
      "A whole log that trail export --format ndjson wrote; default the log of the settings"
    ),
    checkpoints: optionalText(
      "checkpoints",
      "File of tree heads, best a copy on another machine; default CHECKPOINT_FILE"
    ),
    key: keyFlag,
    requireCheckpoint: switchFlag(
      "require-checkpoint",
      "End with exit code 3 also when the newest events are not covered by a signed tree head"
    ),
    json: jsonFlag
  },
  Effect.fnUntraced(function* ({ checkpoints, file, json, key, requireCheckpoint }) {
    const verdict = yield* examine({ file, checkpoints, key }).pipe(
      Effect.catchIf(
        (error) => error._tag === "LogSourceError" && error.isDamaged,
        ({ message }) => Effect.fail(answerIsNo(message))
      )
    )
    const signing = file === undefined ? yield* readSettings : undefined
    yield* print(json, verdict, (verdict) => printVerdict(verdict, signing))
    const { checkpoint, isWhole, uncovered } = verdict
    if (!isWhole) return yield* answerIsNo(verdictOf(verdict))
    if (checkpoint === null) {
      return yield* nothingProven("no tree head is signed yet, so nothing is proven: verify again when one is signed")
    }
    if (requireCheckpoint && uncovered > 0) {
      return yield* nothingProven(`not proven yet: the last ${counted(uncovered, "event")}. ${nextTreeHead(signing)}`)
    }
  })
).pipe(
  Command.withDescription(
    "Verify that no event in the log was changed or removed, and that the read models follow from it; show where not"
  ),
  withoutAdminOperation("data folder", "it reads the whole log itself, and need not trust a service")
)
