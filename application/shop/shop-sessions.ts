import { Effect } from "effect"
import { shopSessions, streamOf } from "../../domain/events/aggregates.ts"
import { isoTime } from "../../domain/time.ts"
import { load } from "../events/handle-command.ts"
import { handleOperatorCommand } from "../provisioning/operator-command.ts"
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
  yield* handleOperatorCommand(shopSessions, streamOf.shopSession(sessionId), (at) => ({
    _tag: "EndShopSession",
    sessionId,
    branchId,
    expiresAt: isoTime(expiresAt),
    at
  } as const), ids)
})
