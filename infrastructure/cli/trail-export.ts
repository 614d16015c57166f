import { Effect, Layer, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { formatPosition } from "../../domain/events/recorded-event.ts"
import { type ExportAsked, hasToBeOpened } from "../../application/trail/export.ts"
import { loggedSubject, type TrailRequest, type TrailSubject } from "../../application/trail/trail-subject.ts"
import { isoTime } from "../../domain/time.ts"
import { layerKeysReadOnly } from "../runtime/keys.ts"
import { layerLogReadOnly } from "../runtime/stores.ts"
import { readSettings } from "../settings/settings.ts"
import { cannotRun } from "./exit.ts"
import { boundsOf, positionOf } from "./export/asked.ts"
import { formats } from "./export/format.ts"
import type { Asked } from "./export/mark.ts"
import { placeReached } from "./export/place-reached.ts"
import { runExport } from "./export/run-export.ts"
import { fromLog, fromTrail, namedInTrail } from "./export/selected.ts"
import { masked, revealed, sealed } from "./export/shown.ts"
import { toFile, toStandardOutput } from "./export/target.ts"
import { maybe } from "./flags.ts"
import { note } from "./output.ts"
import { looking, onceCaughtUp } from "./reading.ts"
import { revealFlag, revealing } from "./revealing.ts"
import { TIME } from "./times.ts"
import { asQuery, ownStory, storyFlags, storyIfAny } from "./trail-subject.ts"

const flags = {
  from: maybe("from", `What happened at that time or later: ${TIME}`),
  to: maybe("to", `What happened up to that time: ${TIME}, to its end`),
  ...storyFlags,
  branch: maybe("branch", "Id of a branch: what was done by it, or to it, all of it"),
  format: Flag.Literals("format", ["ndjson", "csv"]).pipe(
    Flag.withDescription("Lines of JSON, which trail verify --file can prove, or a table for spreadsheets"),
    Flag.withDefault("ndjson")
  ),
  out: maybe("out", "File to write; one that the same export has left is gone on with. Standard output without it"),
  after: maybe("after", "Only what stands behind that position, such as an earlier export ended with"),
  bom: Flag.Boolean("bom").pipe(
    Flag.withDescription("Begin a CSV with the mark by which Excel knows UTF-8"),
    Flag.withDefault(false)
  ),
  masked: Flag.Boolean("masked").pipe(
    Flag.withDescription("Beside sealed lines of JSON, who paid whom, masked; a CSV has that anyway"),
    Flag.withDefault(false)
  ),
  reveal: revealFlag
}

type Flags = Command.Command.Config.Infer<typeof flags>

const layerLog = Layer.unwrap(Effect.map(readSettings, layerLogReadOnly))
const layerKeys = Layer.unwrap(Effect.map(readSettings, layerKeysReadOnly))

/** The keys, if they are at hand: who has the log alone gets everything but names. */
const keysAtHand = Effect.option(
  Layer.build(layerKeys).pipe(
    Effect.tapError(({ message }) => note(`names and account numbers are left empty: ${message}`))
  )
)

interface Choice extends ExportAsked {
  /** Undefined: what is asked for is looked for in all of the log. */
  readonly story: TrailSubject | TrailRequest | undefined
}

/** What was chosen; flags that do not go together are told. */
const chosen = Effect.fnUntraced(function* (flags: Flags) {
  const bounds = yield* boundsOf(flags)
  const { branch, job, request, slip, verification } = flags
  const subject = yield* storyIfAny({ branch, job, request, slip, verification })
  if (flags.bom && flags.format !== "csv") return yield* cannotRun("--bom: Expected --format csv beside it")
  if (flags.masked && flags.format === "csv") return yield* cannotRun("--masked: a CSV has that anyway")
  if (flags.masked && flags.reveal) return yield* cannotRun("--masked: not with --reveal, which opens the same")
  return subject?._tag === "Branch"
    ? { ...bounds, branchId: subject.id, story: undefined } satisfies Choice
    : { ...bounds, branchId: undefined, story: subject } satisfies Choice
})

const isoOrNull = (at: number | undefined): string | null => at === undefined ? null : isoTime(at)

/** Where an export goes and how it is written, once it is known how personal data stands in it. */
const begun = Effect.fnUntraced(
  function* (flags: Flags, choice: Choice, subject: Asked["subject"], shown: Asked["shown"]) {
    const after = yield* positionOf(flags.after)
    const asked: Asked = { subject, from: choice.from, to: choice.to, after, shown }
    const format = flags.format === "csv" ? formats.csv(asked, flags.bom) : formats.ndjson(asked)
    const target = yield* Option.match(flags.out, {
      onNone: () => toStandardOutput,
      onSome: (file) => toFile(file, format)
    })
    return { after, format, target }
  }
)

const branchIn = ({ branchId }: Choice): Asked["subject"] =>
  branchId === undefined ? undefined : { kind: "branch", id: branchId }

/** The log alone is enough for it; with the keys at hand a table has names too, masked. */
const outOfLog = Effect.fnUntraced(function* (flags: Flags, choice: Choice) {
  const selection = yield* fromLog(choice)
  const withNames = Effect.gen(function* () {
    return yield* runExport({ ...(yield* begun(flags, choice, branchIn(choice), "masked")), selection, show: masked })
  })
  if (flags.masked) return yield* Effect.provide(withNames, layerKeys)
  const keys = flags.format === "csv" ? yield* keysAtHand : Option.none()
  if (Option.isSome(keys)) return yield* Effect.provide(withNames, keys.value)
  return yield* runExport({ ...(yield* begun(flags, choice, branchIn(choice), "sealed")), selection, show: sealed })
}, Effect.scoped)

const outOfTrail = Effect.fnUntraced(function* (flags: Flags, choice: Choice, story: TrailSubject | TrailRequest) {
  const selection = yield* fromTrail(story, choice)
  const subject = yield* namedInTrail(story)
  return flags.masked || flags.format === "csv"
    ? yield* runExport({ ...(yield* begun(flags, choice, subject, "masked")), selection, show: masked })
    : yield* runExport({ ...(yield* begun(flags, choice, subject, "sealed")), selection, show: sealed })
}, Effect.scoped)

/** The query of the admin API that shows one subject in the clear. */
const queryOf = ({ branchId, story }: Choice): string =>
  story === undefined || story._tag === "Request" ? `branch=${branchId ?? "ID"}` : asQuery(story)

const inTheClear = Effect.fnUntraced(function* (flags: Flags, choice: Choice) {
  const story = choice.story === undefined ? undefined : yield* ownStory(choice.story)
  const instead = "stop it first, or ask its admin API for one subject at a time, which writes it down too: "
    + `GET /admin/v1/trail?${queryOf(choice)}&reveal=true`
  return yield* revealing(
    instead,
    Effect.fnUntraced(function* (record) {
      const subject = story === undefined ? undefined : yield* loggedSubject(story)
      const select = story === undefined ? fromLog(choice) : fromTrail(story, choice)
      const run = {
        ...(yield* begun(flags, choice, subject ?? branchIn(choice), "revealed")),
        selection: yield* select,
        show: revealed(flags.format === "csv")
      }
      if (!(yield* hasToBeOpened(run.selection, yield* placeReached(run)))) return yield* runExport(run)
      const { branchId = null, from, to } = choice
      yield* record({
        command: "trail export",
        from: isoOrNull(from),
        to: isoOrNull(to),
        branchId,
        subject: subject ?? null
      })
      // The look belongs to what happened, and so into the export.
      return yield* runExport({ ...run, selection: yield* onceCaughtUp(select) })
    }, Effect.scoped)
  )
})

export const exported = Command.make(
  "export",
  flags,
  Effect.fnUntraced(function* (flags) {
    const choice = yield* chosen(flags)
    const { story } = choice
    const plain = story === undefined
      ? Effect.provide(outOfLog(flags, choice), layerLog)
      : looking(outOfTrail(flags, choice, story))
    const done = yield* flags.reveal ? inTheClear(flags, choice) : plain
    if (done !== undefined) yield* note(`${done.count} events, up to ${formatPosition(done.at)} of the log`)
  })
).pipe(
  Command.withDescription("Write events out, in the order of the log; what is sealed in the log stays sealed")
)
