import { Console, DateTime, type Duration, Effect, Layer, Option, Schema } from "effect"
import { Argument, Command } from "effect/cli"
import { existsSync, readFileSync, realpathSync, statSync, writeFileSync } from "node:fs"
import { EventMetadata } from "../../domain/events/recorded-event.ts"
import { type CheckedEntry, checkProof as check } from "../../application/log-proof/check-proof.ts"
import { type NotCovered, type ProofSubject, prove as proofOf } from "../../application/log-proof/prove.ts"
import { readProof } from "../../domain/log-proof/inclusion.ts"
import { saysTwice } from "../../domain/log-proof/plain-text.ts"
import { layerHashing } from "../notary/hashing.ts"
import { layerWitness } from "../notary/public-keys.ts"
import { writeFileAtomic } from "../atomic-file.ts"
import { readSettings } from "../settings/settings.ts"
import { answerIsNo, cannotRun } from "./exit.ts"
import { jsonFlag, maybe } from "./flags.ts"
import { idOf } from "./operation.ts"
import { note, print, printJson } from "./output.ts"
import { looking } from "./reading.ts"
import { tell } from "./event-text.ts"
import { keyFlag, trustedKeys } from "./trusted-keys.ts"
import { printable } from "./messages.ts"

const isUuid = Schema.is(Schema.String.check(Schema.isUUID()))

const subjectOf = (
  verification: Option.Option<string>,
  job: Option.Option<string>
): Effect.Effect<ProofSubject, ReturnType<typeof cannotRun>> => {
  if (Option.isSome(verification) === Option.isSome(job)) {
    return Effect.fail(cannotRun("give exactly one of --verification ID, --job ID"))
  }
  const kind = Option.isSome(job) ? "job" : "verification"
  const id = idOf(Option.getOrElse(Option.orElse(job, () => verification), () => ""))
  return isUuid(id) ? Effect.succeed({ kind, id }) : Effect.fail(cannotRun(`--${kind}: Expected a UUID`))
}

const notYet = ({ at, events, uncovered }: NotCovered, interval: Duration.Duration) => {
  const due = DateTime.formatIso(DateTime.addDuration(DateTime.makeUnsafe(at), interval))
  return answerIsNo(
    `${uncovered} of its ${events} events ${uncovered === 1 ? "is" : "are"} not signed yet: a service that runs with `
      + `the role projector and a signing key signs them by ${due}, or as soon as it is started; ask again then`
  )
}

/** Whether a proof may take the place of a file: only of another proof, and of an empty one. */
const mayReplace = (file: string): boolean =>
  statSync(file).size === 0 || readProof(parse(readFileSync(file, "utf8")))._tag === "Success"

/** A file comes about whole or not at all; what is no file, such as /dev/stdout, has no name to be given. */
const writeText = (file: string, text: string): void => {
  if (!existsSync(file)) return writeFileAtomic(file, text, 0o644)
  return statSync(file).isFile() ? writeFileAtomic(realpathSync(file), text, 0o644) : writeFileSync(file, text)
}

const writeProof = Effect.fnUntraced(function* (file: string, proof: unknown) {
  const attempt = <A>(run: () => A) =>
    Effect.try({ try: run, catch: (cause) => cannotRun(`cannot write ${file}: ${String(cause)}`) })
  if (!(yield* attempt(() => !existsSync(file) || !statSync(file).isFile() || mayReplace(file)))) {
    return yield* cannotRun(`${file} is there and is no proof, so it is left as it is: name another file`)
  }
  yield* attempt(() => writeText(file, `${JSON.stringify(proof, undefined, 2)}\n`))
})

export const prove = Command.make(
  "prove",
  {
    verification: maybe("verification", "Id of a verification: proves what was found"),
    job: maybe("job", "Id of a job: proves all of it, from its acceptance to its callback, with the callback's URL"),
    out: maybe("out", "File to write the proof to; standard output without it")
  },
  Effect.fnUntraced(function* ({ job, out, verification }) {
    const subject = yield* subjectOf(verification, job)
    const { checkpointInterval } = yield* readSettings
    const proof = yield* looking(Effect.provide(proofOf(subject), layerHashing)).pipe(
      Effect.catchTags({
        TrailEmpty: () => Effect.fail(answerIsNo("nothing is known of it")),
        NotCovered: (error) => Effect.fail(notYet(error, checkpointInterval)),
        NotAsSigned: ({ message }) => Effect.fail(answerIsNo(message)),
        CheckpointUnreadable: ({ message }) => Effect.fail(answerIsNo(message))
      })
    )
    if (Option.isNone(out)) return yield* printJson(proof)
    yield* writeProof(out.value, proof)
    yield* note(`The proof is in ${out.value}: with signing.pub, sliptrail trail check-proof checks it anywhere`)
  })
).pipe(Command.withDescription("Prove to others that a verification stood in the log when it was signed"))

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

/** The event as the trail tells it; whoever made the proof may have put anything into it. */
const inWords = ({ event }: CheckedEntry): string => {
  const metadata = Option.getOrUndefined(decodeMetadata(event.metadata))
  if (metadata === undefined) return printable(event.type)
  try {
    return tell({ ...event, metadata, position: { commit: 0n, prepare: 0n }, recordedAt: 0 })
  } catch {
    return printable(event.type)
  }
}

const outcomeOf = ({ checkpoint, event: { position, revision, stream, type }, fault }: CheckedEntry) => ({
  position,
  stream,
  revision,
  type,
  isProven: fault === undefined,
  why: fault ?? null,
  checkpoint: checkpoint?.number ?? null,
  signedAt: checkpoint?.at ?? null,
  keyId: checkpoint?.keyId ?? null
})

const explain = (entries: ReadonlyArray<CheckedEntry>) =>
  Console.log([
    ...entries.flatMap((entry) => {
      const { checkpoint, event: { position, revision, stream }, fault } = entry
      const place = `event ${revision} of ${stream}, at position ${position} of the log`
      return [
        inWords(entry),
        printable(
          fault === undefined
            ? `  proven: ${place}, covered by checkpoint ${checkpoint?.number} of ${checkpoint?.at}, signed by key ${checkpoint?.keyId}`
            : `  NOT PROVEN: ${place}: ${fault}`
        )
      ]
    }),
    ...(entries.some(({ fault }) => fault === undefined) ? MEANING : [])
  ].join("\n"))

const MEANING = [
  "",
  "What is proven stood in the log, exactly as the proof has it, when whoever has the key signed the checkpoint, at",
  "the time that this says. Not proven is that the log has nothing else about it, that the bank or a clock was right,",
  "and what the sealed parts say: personal data is in the proof encrypted only, and proven as such."
]

const notAProof = (file: string) => answerIsNo(`${file} is no proof, or was changed`)

export const checkProof = Command.make(
  "check-proof",
  {
    file: Argument.String("file").pipe(Argument.withDescription("A proof, as trail prove writes it")),
    key: keyFlag,
    json: jsonFlag
  },
  Effect.fnUntraced(function* ({ file, json, key }) {
    const keys = yield* trustedKeys(Option.getOrUndefined(key))
    const text = yield* readFile(file)
    const value = parse(text)
    if (value !== undefined && saysTwice(text, value)) {
      return yield* answerIsNo(
        `${file} was changed: it has a name twice in one object, so that not everybody reads the same`
      )
    }
    const proof = yield* Effect.try({ try: () => readProof(value), catch: () => notAProof(file) })
    if (proof._tag === "Failure") return yield* notAProof(file)
    const entries = yield* Effect.provide(check(proof.success), Layer.merge(layerHashing, layerWitness(keys)))
    const faults = entries.filter(({ fault }) => fault !== undefined).length
    yield* print(json, { isProven: faults === 0, events: entries.map(outcomeOf) }, () => explain(entries))
    if (faults > 0) {
      return yield* answerIsNo(`the proof does not hold: ${faults} of ${entries.length} events are not proven`)
    }
  })
).pipe(Command.withDescription("Check a proof by the public key alone: no data folder, no service"))
