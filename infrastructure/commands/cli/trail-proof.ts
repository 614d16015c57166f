import { Console, DateTime, Effect, Layer, Option, Schema } from "effect"
import { Argument, Command } from "effect/cli"
import { existsSync, readFileSync, realpathSync, statSync, writeFileSync } from "node:fs"
import { EventMetadata } from "../../../domain/events/recorded-event.ts"
import {
  type CheckedEntry,
  checkProof as check,
  type NotCovered,
  type ProofSubject,
  prove as proofOf
} from "../../../application/log-proof/prove.ts"
import { readProof } from "../../../domain/log-proof/inclusion-proof.ts"
import { hasDuplicateName } from "../../../domain/log-proof/canonical-json.ts"
import { proofSubjectOf } from "../../web/input/proof-query.ts"
import { layerHashing, layerSignatureVerifier } from "../../adapters/notary/signing-keys.ts"
import { writeFileAtomic } from "../../platform/atomic-file.ts"
import { canSign, NEVER_SIGNED } from "../../runtime/log-proof.ts"
import { readSettings, type Settings } from "../../platform/settings/settings.ts"
import { keyFlag, trustedKeys } from "./trail-verify.ts"
import { painted } from "./colors.ts"
import { answerIsNo, cannotRun } from "./exit.ts"
import { jsonFlag, optionalText, outFlag } from "./flags.ts"
import { atTarget } from "./operation.ts"
import { note, print } from "./output.ts"
import { recordReading } from "./record-act.ts"
import { receiveText } from "./receive-lines.ts"
import type { OpenFile } from "./request.ts"
import { visibleLine, visibleText } from "../../platform/visible-text.ts"
import { readStores } from "./stores.ts"
import { subjectOf } from "./trail-subject.ts"
import { formatEvent } from "./views.ts"
import { withoutAdminOperation } from "./target.ts"

const notSignedYet = (
  { at, events, hasTreeHeads, uncovered }: NotCovered,
  { checkpointInterval: interval, ...settings }: Pick<Settings, "checkpointInterval" | "eventStoreUrl" | "signingKey">
) => {
  if (!hasTreeHeads && !canSign(settings)) return answerIsNo(NEVER_SIGNED)
  const due = DateTime.formatIso(DateTime.addDuration(DateTime.makeUnsafe(at), interval))
  return answerIsNo(
    `${uncovered} of its ${events} events ${uncovered === 1 ? "is" : "are"} not signed yet: a service with the role `
      + `projector and a signing key signs them by ${due}, or when it starts; try again then`
  )
}

/** The text of a proof from the log of the data folder. */
const proofOfFolder = Effect.fnUntraced(function* (subject: ProofSubject) {
  const settings = yield* readSettings
  const proof = yield* readStores(Effect.provide(proofOf(subject), layerHashing)).pipe(
    Effect.catchTags({
      TrailEmpty: () => Effect.fail(answerIsNo("there are no events")),
      NotCovered: (error) => Effect.fail(notSignedYet(error, settings)),
      NotAsSigned: ({ message }) => Effect.fail(answerIsNo(message)),
      TreeHeadUnreadable: ({ message }) => Effect.fail(answerIsNo(message))
    })
  )
  yield* recordReading(
    { _tag: "EventsProven", subject },
    "this proof",
    { name: "proveEvents", query: { [subject.kind]: subject.id } }
  )
  return `${JSON.stringify(proof, undefined, 2)}\n`
})

/** The text of a proof from a service. */
const proofOfService = Effect.fnUntraced(function* (opened: ReturnType<OpenFile>) {
  const text = yield* receiveText(yield* opened)
  if (readProof(parse(text))._tag === "Success") return text
  return yield* cannotRun("the answer of the service is not a proof: use the command line of the same version")
}, Effect.scoped)

/** Only another proof or an empty file may be replaced. */
const mayReplace = (file: string): boolean =>
  statSync(file).size === 0 || readProof(parse(readFileSync(file, "utf8")))._tag === "Success"

/** A regular file is written atomically. Others, such as /dev/stdout, cannot be renamed. */
const writeText = (file: string, text: string): void => {
  if (!existsSync(file)) return writeFileAtomic(file, text, 0o644)
  return statSync(file).isFile() ? writeFileAtomic(realpathSync(file), text, 0o644) : writeFileSync(file, text)
}

const writeProof = Effect.fnUntraced(function* (file: string, proof: string) {
  const attempt = <A>(run: () => A) =>
    Effect.try({ try: run, catch: (cause) => cannotRun(`cannot write ${file}: ${String(cause)}`) })
  if (!(yield* attempt(() => !existsSync(file) || !statSync(file).isFile() || mayReplace(file)))) {
    return yield* cannotRun(`${file} exists and is not a proof, it was left unchanged: choose another file`)
  }
  yield* attempt(() => writeText(file, proof))
})

export const prove = Command.make(
  "prove",
  {
    verification: optionalText("verification", "Id of a verification: proves its events"),
    job: optionalText(
      "job",
      "Id of a job: proves its events, from acceptance to callback, with the callback URL"
    ),
    out: outFlag("File to write the proof to")
  },
  Effect.fnUntraced(function* ({ job, out, verification }) {
    const query = yield* subjectOf({ job, verification }, "--verification ID, --job ID")
    const subject = yield* Effect.orDie(proofSubjectOf(query))
    const proof = yield* atTarget(
      ({ open }) => proofOfService(open({ name: "proveEvents", query })),
      proofOfFolder(subject)
    )
    if (out === undefined) return yield* Console.log(visibleText(proof.trimEnd()))
    yield* writeProof(out, proof)
    yield* note(`The proof is in ${out}. Check it on any machine with signing.pub: sliptrail trail check-proof`)
  })
).pipe(
  Command.withDescription("Write a proof that the events of a verification or a job are in the signed log")
)

const readFile = (file: string) =>
  Effect.try({
    try: () => readFileSync(file, "utf8"),
    catch: (cause) => cannotRun(`cannot read ${file}: ${String(cause)}`)
  })

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const decodeMetadata = Schema.decodeUnknownOption(EventMetadata)

/** The event as the trail shows it. The proof is untrusted: its event may have any content. */
const describeEvent = ({ event }: CheckedEntry): string => {
  const metadata = Option.getOrUndefined(decodeMetadata(event.metadata))
  if (metadata === undefined) return visibleLine(event.type)
  try {
    return formatEvent({ ...event, metadata, position: { commit: 0n, prepare: 0n }, recordedAt: 0 })
  } catch {
    return visibleLine(event.type)
  }
}

const outcomeOf = ({ event: { position, revision, stream, type }, fault, treeHead }: CheckedEntry) => ({
  position,
  stream,
  revision,
  type,
  isProven: fault === undefined,
  why: fault ?? null,
  checkpoint: treeHead?.number ?? null,
  signedAt: treeHead?.at ?? null,
  keyId: treeHead?.keyId ?? null
})

const printEntries = (entries: ReadonlyArray<CheckedEntry>) =>
  Console.log([
    ...entries.flatMap((entry) => {
      const { event: { position, revision, stream }, fault, treeHead } = entry
      const place = `event ${revision} of ${stream}, at position ${position} of the log`
      return [
        describeEvent(entry),
        painted(
          fault === undefined ? "good" : "bad",
          visibleLine(
            fault === undefined
              ? `  proven: ${place}, covered by tree head ${treeHead?.number} of ${treeHead?.at}, signed by key ${treeHead?.keyId}`
              : `  NOT PROVEN: ${place}: ${fault}`
          )
        )
      ]
    }),
    ...(entries.some(({ fault }) => fault === undefined) ? MEANING : [])
  ].join("\n"))

const MEANING = [
  "",
  "Proven: the event was in the log, exactly as in the proof, when the owner of the key signed the tree head at the",
  "time shown. Not proven: that the log has no other events about it, that the bank or a clock was right, and the",
  "content of sealed data. Personal data is in the proof only in encrypted form."
]

const notAProof = (file: string) => answerIsNo(`${file} is not a proof, or it was changed`)

export const checkProof = Command.make(
  "check-proof",
  {
    file: Argument.String("file").pipe(Argument.withDescription("A proof that trail prove wrote")),
    key: keyFlag,
    json: jsonFlag
  },
  Effect.fnUntraced(function* ({ file, json, key }) {
    const keys = yield* trustedKeys(key)
    const text = yield* readFile(file)
    const value = parse(text)
    if (value !== undefined && hasDuplicateName(text, value)) {
      return yield* answerIsNo(
        `${file} was changed: an object in it has the same name twice`
      )
    }
    const proof = yield* Effect.try({ try: () => readProof(value), catch: () => notAProof(file) })
    if (proof._tag === "Failure") return yield* notAProof(file)
    const entries = yield* Effect.provide(check(proof.success), Layer.merge(layerHashing, layerSignatureVerifier(keys)))
    const faults = entries.filter(({ fault }) => fault !== undefined).length
    yield* print(json, { isProven: faults === 0, events: entries.map(outcomeOf) }, () => printEntries(entries))
    if (faults > 0) {
      return yield* answerIsNo(`the proof is not valid: ${faults} of ${entries.length} events are not proven`)
    }
  })
).pipe(
  Command.withDescription("Check a proof with the public key; needs no data folder and no service"),
  withoutAdminOperation("nothing", "it checks a file on this machine, and need not trust a service")
)
