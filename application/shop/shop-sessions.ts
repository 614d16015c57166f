import { Effect } from "effect"
import { shopSessions, streamOf } from "../../domain/events/aggregates.ts"
import { isoTime } from "../../domain/time.ts"
import { handleCommand, load } from "../events/handle-command.ts"
import { contextOf } from "../provisioning/operator-command.ts"
import type { RequestIds } from "../events/handle-command.ts"

/** Whether a session was signed out. It is read from the log, so a sign-out counts at once in every process. */
export const isShopSessionEnded = Effect.fn("isShopSessionEnded")(function* (sessionId: string) {
  return (yield* load(shopSessions, streamOf.shopSession(sessionId))).state.isRecorded
})

/** Ends a session in every process. `expiresAt` in milliseconds since 1970. */
export const endShopSession = Effect.fn("endShopSession")(function* (
  { branchId, expiresAt, sessionId }: {
    readonly sessionId: string
    readonly branchId: string
    readonly expiresAt: number
  },
  ids: RequestIds
) {
  const context = yield* contextOf(ids)
  yield* handleCommand(shopSessions, streamOf.shopSession(sessionId), {
    _tag: "EndShopSession",
    sessionId,
    branchId,
    expiresAt: isoTime(expiresAt),
    at: isoTime(context.at)
  }, context)
})
