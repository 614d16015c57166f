import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { Directory } from "../../application/provisioning/directory.ts"
import {
  loggedSubject,
  trail as readTrail,
  trailItem,
  type TrailRequest,
  type TrailSubject
} from "../../application/trail/trail.ts"
import { maskEvent, openEvent } from "../../application/trail/sealed-fields.ts"
import type { RecordedEvent } from "../../domain/events/recorded-event.ts"
import { at } from "./trail-at.ts"
import { exported } from "./trail-export.ts"
import { forget } from "./trail-forget.ts"
import { checkProof, prove } from "./trail-proof.ts"
import {
  adminQueryOf,
  notFoundMessage,
  requireSubject,
  trailFlags,
  trailQueryOf,
  truncatedMessage
} from "./trail-subject.ts"
import { verify } from "./trail-verify.ts"
import { answerIsNo } from "./exit.ts"
import { jsonFlag } from "./flags.ts"
import { revealFlag, runReveal } from "./operation.ts"
import { note, printJson } from "./output.ts"
import { visibleLine } from "../visible-text.ts"
import { readStores } from "./stores.ts"
import { formatEvent, nameOf } from "./views.ts"

const eventsOf = (query: TrailSubject | TrailRequest) =>
  Effect.catchTag(readTrail(query), "TrailEmpty", () => Effect.fail(answerIsNo(notFoundMessage(query))))

/** One line for each request that an id of a caller stands for. None for the service's own id. */
const requestLines = (id: string, events: ReadonlyArray<RecordedEvent>): ReadonlyArray<string> => {
  const requests = new Set(events.map(({ metadata }) => metadata.correlationId))
  return requests.size === 1 && requests.has(id)
    ? []
    : [...requests].map((request) => visibleLine(`Request ${request}, which its caller named ${id}`))
}

/** One line for each branch that the events belong to, with its service; for a request as `requestLines`. */
const headingOf = Effect.fnUntraced(function* (
  query: TrailSubject | TrailRequest,
  events: ReadonlyArray<RecordedEvent>
) {
  if (query._tag === "Request") return requestLines(query.id, events)
  const directory = yield* Directory
  const ids = query._tag === "Branch"
    ? [query.id.toLowerCase()]
    : new Set(events.map(({ data: { branchId } }) => branchId))
  const lines: Array<string> = []
  for (const id of ids) {
    const branch = typeof id === "string" ? yield* directory.branch(id) : undefined
    const service = branch === undefined ? undefined : yield* directory.service(branch.serviceId)
    if (branch === undefined || service === undefined) continue
    lines.push(visibleLine(`Branch ${nameOf(branch)} of service ${nameOf(service)}`))
  }
  return lines
})

/** Personal data is sealed in JSON, and masked in text for people. */
const readSealed = (query: TrailSubject | TrailRequest, json: boolean) =>
  readStores(Effect.gen(function* () {
    const { events, isTruncated } = yield* eventsOf(query)
    return json
      ? { events, isTruncated, heading: [] }
      : { events: yield* Effect.forEach(events, maskEvent), isTruncated, heading: yield* headingOf(query, events) }
  }))

const readRevealed = (subject: TrailSubject) =>
  runReveal(
    `stop it first, or use its admin API, which records the access too: GET /admin/v1/trail?${
      adminQueryOf(subject)
    }&reveal=true`,
    Effect.fnUntraced(function* (record) {
      // Read first: a subject without events is not recorded.
      const { events, isTruncated } = yield* eventsOf(subject)
      const logged = yield* loggedSubject(subject)
      yield* record({ command: "trail show", from: null, to: null, branchId: null, subject: logged })
      return {
        events: yield* Effect.forEach(events, openEvent),
        isTruncated,
        heading: yield* headingOf(subject, events)
      }
    })
  )

const show = Command.make(
  "show",
  { ...trailFlags, reveal: revealFlag, json: jsonFlag },
  Effect.fnUntraced(function* ({ json, reveal, ...flags }) {
    const query = yield* trailQueryOf(flags)
    const { events, heading, isTruncated } = yield* reveal
      ? Effect.flatMap(requireSubject(query), readRevealed)
      : readSealed(query, json)
    yield* json ? printJson(events.map(trailItem)) : Console.log([...heading, ...events.map(formatEvent)].join("\n"))
    if (isTruncated) yield* note(truncatedMessage(query))
  })
).pipe(
  Command.withDescription("Show the events of a job, slip, verification, branch or request, oldest first")
)

export const trail = Command.make("trail").pipe(
  Command.withDescription("The trail of events"),
  Command.withSubcommands([show, at, exported, forget, verify, prove, checkProof])
)
