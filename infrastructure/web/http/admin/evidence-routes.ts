import { Clock, Effect, Layer } from "effect"
import { recordDisclosure } from "../../../../application/erasure/erase-slip.ts"
import { treeHeadLines } from "../../../../application/log-proof/list-tree-heads.ts"
import { type NotCovered, prove } from "../../../../application/log-proof/prove.ts"
import { recordAct } from "../../../../application/operators/record-act.ts"
import {
  disclosureOf,
  type ExportRequest,
  exportSubject,
  exportText,
  formatOf,
  recordExport,
  selectLog,
  showMasked,
  showRevealed,
  showSealed
} from "../../../../application/trail/export-request.ts"
import { selectTrail } from "../../../../application/trail/export.ts"
import type { RequestIds } from "../../../../application/events/handle-command.ts"
import { exportRequestOf } from "../../input/export-query.ts"
import { proofSubjectOf } from "../../input/proof-query.ts"
import { apiError } from "../../api/failures.ts"
import { LogSigning } from "../server/log-signing.ts"
import { FileAnswer } from "../server/reply.ts"
import { streamedFile } from "../server/streamed-file.ts"
import type { AdminRoute } from "./admin-route.ts"
import { toServerResponse } from "@effect/platform-node/NodeHttpServerRequest"
import type { Exchange } from "../server/endpoint.ts"

const NDJSON = "application/x-ndjson"

const contentTypes = { ndjson: NDJSON, csv: "text/csv; charset=utf-8" } as const

const noEvents = () => apiError("NOT_FOUND", { message: "There are no events about it" })

const selectionOf = ({ from, subject, to }: ExportRequest) =>
  subject === undefined || subject._tag === "Branch"
    ? selectLog({ from, to, branchId: subject?.id })
    : Effect.catchTags(selectTrail(subject, { from, to }), {
      TrailEmpty: () => Effect.fail(noEvents()),
      // The selection follows its own cursors.
      CursorUnknown: Effect.die
    })

const COMMAND = "GET /admin/v1/trail/export"

/** Nothing is sent before the record of the export is in the log. */
const sendExport = Effect.fnUntraced(function* (request: ExportRequest, ids: RequestIds) {
  const { after, format: kind, personalData } = request
  const subject = request.subject === undefined ? undefined : yield* exportSubject(request.subject)
  // A subject without events, or an unknown branch, is not recorded.
  yield* selectionOf(request)
  if (personalData === "revealed") {
    yield* recordDisclosure({ command: COMMAND, ...disclosureOf({ ...request, subject }) }, ids)
  } else yield* recordExport({ ...request, subject }, ids)
  // Select again: the export contains its own record.
  const selection = yield* selectionOf(request)
  const format = formatOf(request, subject, personalData)
  const show = { sealed: showSealed, masked: showMasked, revealed: showRevealed(kind) }[personalData]
  return yield* streamedFile(contentTypes[kind], exportText(selection, after, format, show), ids.correlationId)
})

/** The proof is there when a tree head covers the oldest event without one. */
const notSignedYet = Effect.fnUntraced(function* ({ at, events, hasTreeHeads, uncovered }: NotCovered) {
  const { intervalMillis, neverSigned } = yield* LogSigning
  if (!hasTreeHeads && neverSigned !== undefined) return yield* apiError("PROOF_PENDING", { message: neverSigned })
  const millis = Date.parse(at) + intervalMillis - (yield* Clock.currentTimeMillis)
  return yield* apiError("PROOF_PENDING", {
    message: `${uncovered} of its ${events} events ${uncovered === 1 ? "is" : "are"} not signed yet. Try again later`,
    retryAfterSeconds: Math.max(1, Math.ceil(millis / 1_000))
  })
})

/** The log differs from what was signed: only `sliptrail trail verify` can say where. */
const changedLog = ({ message }: { readonly message: string }) =>
  Effect.andThen(
    Effect.logError("A proof or the tree heads could not be read from the log", message),
    Effect.fail(apiError("INTERNAL_SERVER_ERROR", { message }))
  )

const evidenceRoutesWith = (route: AdminRoute, slots: FileSlots) =>
  Layer.mergeAll(
    route(
      "exportTrail",
      Effect.fnUntraced(function* ({ exchange, ids, query, requireAct }) {
        const request = yield* exportRequestOf(query)
        if (request.personalData === "revealed") yield* requireAct("revealPersonalData")
        yield* slots.take(exchange)
        return yield* sendExport(request, ids)
      })
    ),
    route(
      "proveEvents",
      Effect.fnUntraced(function* ({ exchange, ids, query }) {
        const subject = yield* proofSubjectOf(query)
        yield* slots.take(exchange)
        const proof = yield* prove(subject).pipe(
          Effect.catchTags({
            TrailEmpty: () => Effect.fail(noEvents()),
            NotCovered: notSignedYet,
            NotAsSigned: changedLog,
            TreeHeadUnreadable: changedLog
          })
        )
        yield* recordAct({ _tag: "EventsProven", subject }, ids)
        return new FileAnswer("application/json", `${JSON.stringify(proof, undefined, 2)}\n`)
      })
    ),
    route(
      "listTreeHeads",
      Effect.fnUntraced(function* ({ exchange, ids, query: { after = "0" } }) {
        yield* slots.take(exchange)
        return yield* streamedFile(NDJSON, treeHeadLines(Number(after)), ids.correlationId)
      })
    ),
    route(
      "getSigningKey",
      Effect.fnUntraced(function* () {
        const keys = yield* (yield* LogSigning).publicKeys
        if (keys !== undefined) return new FileAnswer("application/x-pem-file", keys)
        return yield* apiError("NOT_FOUND", {
          message:
            "This process knows no public key: the log is not signed, or SIGNING_KEY is set for other processes only"
        })
      })
    )
  )

/** What an auditor needs to prove elsewhere what happened. */
export const evidenceRoutes = (route: AdminRoute) => evidenceRoutesWith(route, makeFileSlots())

/** Long files that a process sends at a time: each reads the log, which requests of callers need too. */
const MAX_FILES = 2

const RETRY_SECONDS = 10

/** Bounds how many long files a process sends at a time. */
const makeFileSlots = (max: number = MAX_FILES) => {
  let used = 0
  return {
    /** Takes a slot until the answer was sent or its connection broke off. */
    take: ({ request }: Exchange) =>
      Effect.suspend(() => {
        if (used >= max) {
          return Effect.fail(
            apiError("RATE_LIMIT_EXCEEDED", {
              message: `This process sends ${max} exports already. Wait until one has ended`,
              retryAfterSeconds: RETRY_SECONDS
            })
          )
        }
        const response = toServerResponse(request)
        if (response.destroyed) return Effect.void
        used += 1
        response.once("close", () => {
          used -= 1
        })
        return Effect.void
      })
  }
}

type FileSlots = ReturnType<typeof makeFileSlots>
