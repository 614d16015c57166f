import { Clock, Effect, Layer } from "effect"
import { addNote, recallNote } from "../../../../application/notes/add-note.ts"
import { listVerifications } from "../../../../application/reading/list-verifications.ts"
import { usage } from "../../../../application/reading/usage.ts"
import { verificationDetail } from "../../../../application/reading/verification-detail.ts"
import { listJobs } from "../../../../projections/models/jobs.ts"
import { usageDays, verificationFilter } from "../../input/verification-queries.ts"
import { reading } from "../../api/operations/reading.ts"
import { chargeRate } from "../auth/authenticate.ts"
import { idempotently } from "../operations/idempotency.ts"
import { branchOperation, v2Endpoint } from "../operations/operation-endpoint.ts"

/** Days of usage that one request of the rate limit covers (docs/spec/http.md, "Limits"). */
const DAYS_PER_REQUEST = 10

/** What a branch verified, to be read again (docs/spec/http.md, "Reading"). */
export const layerReading = Layer.mergeAll(
  v2Endpoint(
    reading.listVerifications,
    ({ caller: { branchId, serviceId }, page, query }) =>
      listVerifications({ branchId, serviceId, ...verificationFilter(query), ...page })
  ),
  v2Endpoint(
    reading.getVerification,
    ({ caller: { branchId }, params: { verificationId } }) => verificationDetail(verificationId, branchId)
  ),
  v2Endpoint(
    reading.addNote,
    (request) => {
      const { body: { text }, caller: { branchId }, params: { verificationId } } = request
      return idempotently(request, {
        run: (noteId) => addNote({ noteId, verificationId, branchId, text }, branchOperation(request)),
        recall: (noteId) => recallNote(verificationId, noteId)
      })
    }
  ),
  v2Endpoint(
    reading.getUsage,
    Effect.fnUntraced(function* ({ caller: { branchId }, exchange, query }) {
      const days = yield* usageDays(query, yield* Clock.currentTimeMillis)
      yield* chargeRate(branchId, Math.ceil(days.length / DAYS_PER_REQUEST) - 1, exchange.answerHeaders)
      return { items: yield* usage({ branchId, days, order: query.order ?? "newest" }), nextCursor: null }
    })
  ),
  v2Endpoint(
    reading.listJobs,
    Effect.fnUntraced(function* ({ caller: { branchId }, page, query: { from, order = "newest", status, to } }) {
      const { items, nextCursor } = yield* listJobs({ branchId, state: status, from, to, order, ...page })
      return { items: items.map(({ branchId: _, state, ...job }) => ({ ...job, status: state })), nextCursor }
    })
  )
)
