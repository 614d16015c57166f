import { Effect, Option } from "effect"
import type { TrailRequest, TrailSubject } from "../../application/trail/trail-subject.ts"
import { cannotRun } from "./exit.ts"
import { maybe } from "./flags.ts"
import { idOf, judged } from "./operation.ts"
import { decodeTrailQuery, decodeTrailSubject } from "../input/operator-queries.ts"

/** Flags that say whose trail is meant. */
export const subjectFlags = {
  job: maybe("job", "Id of a job: a slip that was handed over to be verified later"),
  slip: maybe("slip", "BANK:TRANSREF, for example 004:013071152533APM07736"),
  verification: maybe("verification", "Id of a verification"),
  branch: maybe("branch", "Id of a branch")
}

/** The same, and a request: it has a story, and is nothing that could be looked at as of a moment. */
export const storyFlags = {
  ...subjectFlags,
  request: maybe("request", "X-Request-Id of an answer: tells everything that the request led to")
}

type Given<Flags> = Readonly<Record<keyof Flags, Option.Option<string>>>

const FLAGS = "--job ID, --slip BANK:TRANSREF, --verification ID, --branch ID"

/** What was typed, of flags of which exactly one has to be given. */
const exactlyOne = Effect.fnUntraced(function* (flags: Readonly<Record<string, Option.Option<string>>>, names: string) {
  const given = Object.entries(flags).flatMap(([name, flag]) =>
    Option.match(flag, { onNone: () => [], onSome: (text) => [[name, text.trim()] as const] })
  )
  return given.length === 1 ? Object.fromEntries(given) : yield* cannotRun(`give exactly one of ${names}`)
})

/** The one subject that was given. */
export const subjectOf = Effect.fnUntraced(function* (flags: Given<typeof subjectFlags>) {
  return yield* judged(decodeTrailSubject, yield* exactlyOne(flags, FLAGS))
})

/** The one subject that was given, or the request. */
export const storyOf = Effect.fnUntraced(function* (flags: Given<typeof storyFlags>) {
  return (yield* judged(decodeTrailQuery, yield* exactlyOne(flags, `${FLAGS}, --request ID`))).subject
})

/** The one subject or request that was given; undefined when none was. */
export const storyIfAny = Effect.fnUntraced(function* (flags: Given<typeof storyFlags>) {
  const given = Object.values(flags).filter(Option.isSome)
  if (given.length > 1) return yield* cannotRun(`give at most one of ${FLAGS}, --request ID`)
  if (Option.isSome(flags.branch)) return { _tag: "Branch", id: idOf(flags.branch.value) } satisfies TrailSubject
  return given.length === 0 ? undefined : yield* storyOf(flags)
})

/** The query of the admin API that shows the same of it. */
export const asQuery = (subject: TrailSubject): string =>
  subject._tag === "Slip"
    ? `slip=${subject.sendingBank}:${subject.transRef}`
    : `${subject._tag.toLowerCase()}=${subject.id}`

/** A look at somebody's data stands in that one's own story: whoever asks by request has to say whose it is. */
export const ownStory = (subject: TrailSubject | TrailRequest) =>
  subject._tag === "Request"
    ? Effect.fail(
      cannotRun("--reveal: not with --request; ask by --job, --slip or --verification, which its events name")
    )
    : Effect.succeed(subject)

/** That nothing is known of it, `when` says by when, and how else it may be meant. */
export const nothingKnown = ({ _tag }: TrailSubject | TrailRequest, when = ""): string =>
  `nothing is known of it${when}`
  + (_tag === "Slip"
    ? ": is the bank's code right, three digits such as 004, and the reference in upper case, as on the slip?"
    : "")

/** That there is more of it than is told. */
export const more = ({ _tag }: TrailSubject | TrailRequest): string =>
  _tag === "Request"
    ? "… more happened under this id, which was given to many requests: sliptrail trail export has all of it"
    : "… more happened before: sliptrail trail export --branch has all of it"
