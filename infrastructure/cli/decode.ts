import { Clock, Console, Effect, Option, Stream } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { decode as decodeSlip, type Decoded } from "../../application/verification/decode.ts"
import { layerEgress } from "../egress/layer.ts"
import { layerSlipReader } from "../pictures/slip-reader.ts"
import { settings } from "../settings/settings.ts"
import { CommandFailed } from "./exit.ts"
import { jsonFlag } from "./flags.ts"
import { padded, printJson, widest } from "./output.ts"
import { findPictures, type Found, readPicture } from "./pictures.ts"
import { makeProgress } from "./progress.ts"

/** As many as the reader has workers by default: more would only wait for one. */
const AT_A_TIME = 2

/** No request waits for the result, so a busy machine gets more time than the service allows. */
const DEADLINE_MILLIS = 60_000

type Outcome =
  | { readonly _tag: "Decoded"; readonly file: string; readonly tookMillis: number; readonly decoded: Decoded }
  | { readonly _tag: "NoSlip"; readonly file: string; readonly tookMillis: number; readonly why: string }
  | { readonly _tag: "CannotRun"; readonly file: string; readonly why: string }

const words = {
  "no-qr": "no QR code was found in the picture",
  "unreadable": "looking for a QR code took too long",
  "not-an-image": "it is no JPEG, PNG, WebP or GIF",
  "corrupt": "the picture is broken",
  "too-large": "the file is larger than 4 MB",
  "too-many-pixels": "the picture has more than 25 megapixels",
  "busy": "the reader is busy",
  "unavailable": "the reader failed; try the other one, see --reader"
} as const

const inWords = (reason: string): string => reason in words ? words[reason as keyof typeof words] : reason

const lookAt = Effect.fnUntraced(function* (found: Found) {
  const { file } = found
  if (found._tag === "Unusable") return { _tag: "CannotRun", file, why: found.why } satisfies Outcome
  const started = yield* Clock.currentTimeMillis
  const read = Effect.gen(function* () {
    const bytes = yield* Effect.mapError(readPicture(file), (why) => ({ _tag: "CannotRun", why }) as const)
    return yield* Effect.mapError(decodeSlip({ _tag: "Image", bytes }), (error) =>
      ({
        _tag: error._tag === "ReaderUnavailable" ? "CannotRun" : "NoSlip",
        why: inWords(error.reason)
      }) as const)
  })
  const result = yield* Effect.result(read)
  const tookMillis = (yield* Clock.currentTimeMillis) - started
  const outcome: Outcome = result._tag === "Success"
    ? { _tag: "Decoded", file, tookMillis, decoded: result.success }
    : { ...result.failure, file, tookMillis }
  return outcome
})

/** A QR code of a slip whose checksum is wrong says nothing that could be verified. */
const isSlip = (outcome: Outcome): boolean => outcome._tag === "Decoded" && outcome.decoded.sendingBank !== null

const otherKinds = {
  slip: "the QR code of a slip with a wrong checksum",
  promptpay: "a PromptPay QR code to pay with, no slip",
  truemoney: "a TrueMoney slip, which no bank can verify",
  other: "a QR code, no slip"
} as const

const forPeople = (outcome: Outcome): string => {
  if (outcome._tag !== "Decoded") return outcome.why
  const { kind, payload, sendingBank, transRef } = outcome.decoded
  if (!isSlip(outcome)) return `${otherKinds[kind]}: ${payload}`
  return `${sendingBank}  ${transRef}  ${outcome.tookMillis} ms  ${payload}`
}

const forMachines = (outcome: Outcome) => {
  const { _tag, ...rest } = outcome
  if (outcome._tag !== "Decoded") return { isSlip: false, ...rest }
  const { decoded, file, tookMillis } = outcome
  return { isSlip: isSlip(outcome), file, ...decoded, tookMillis }
}

const exitCodeOf = (outcomes: ReadonlyArray<Outcome>): 0 | 1 | 2 => {
  if (outcomes.some(({ _tag }) => _tag === "CannotRun")) return 2
  return outcomes.every(isSlip) ? 0 : 1
}

const lookAtAll = Effect.fnUntraced(function* (files: ReadonlyArray<Found>, json: boolean) {
  const progress = yield* makeProgress
  const nameWidth = widest(files.map(({ file }) => file))
  const outcomes: Array<Outcome> = []
  yield* Stream.fromIterable(files).pipe(
    Stream.mapEffect(lookAt, { concurrency: AT_A_TIME }),
    Stream.runForEach(Effect.fnUntraced(function* (outcome) {
      outcomes.push(outcome)
      yield* progress.say(`${outcomes.length} of ${files.length} looked at`)
      if (json) return
      yield* progress.clear
      yield* Console.log(`${padded(outcome.file, nameWidth)}  ${forPeople(outcome)}`)
    }))
  )
  return outcomes
})

export const decode = Command.make(
  "decode",
  {
    files: Argument.String("file").pipe(
      Argument.withDescription("A picture, or a folder that is searched for pictures"),
      Argument.atLeast(1)
    ),
    reader: Flag.Literals("reader", ["native", "portable"]).pipe(
      Flag.withDescription("What reads the pictures; SLIP_READER without it"),
      Flag.optional
    ),
    json: jsonFlag
  },
  Effect.fnUntraced(function* ({ files, json, reader }) {
    const slipReader = Option.getOrUndefined(reader) ?? (yield* settings.slipReader)
    const outcomes = yield* lookAtAll(yield* findPictures(files), json).pipe(
      Effect.scoped,
      Effect.provide([layerSlipReader({ reader: slipReader, deadlineMillis: DEADLINE_MILLIS }), noWayOut])
    )
    if (json) yield* printJson(outcomes.map(forMachines))
    const exitCode = exitCodeOf(outcomes)
    if (exitCode === 0) return
    const without = outcomes.filter((outcome) => !isSlip(outcome)).length
    return yield* new CommandFailed({ exitCode, message: `no slip in ${without} of ${outcomes.length}` })
  })
).pipe(Command.withDescription("Read the QR codes of slip pictures; nobody is asked, and no data folder is needed"))

/** Pictures come from files alone: nothing is ever asked of it. */
const noWayOut = layerEgress({ allowCidrs: [], hosts: {}, userAgent: "SlipTrail" })
