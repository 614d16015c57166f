import { Effect } from "effect"
import { VaultError } from "../../../../ports/vault.ts"
import type { ApiError } from "../../api/failures.ts"
import { unavailable } from "./application-failures.ts"

/** While the keys of subjects cannot be read, a request fails as without a store. */
export const failWithoutKeys = <A, E, R>(
  request: Effect.Effect<A, E, R>,
  requestId: string
): Effect.Effect<A, E | ApiError, R> =>
  Effect.catchDefect(
    request,
    (defect) =>
      defect instanceof VaultError && defect.reason === "not-read"
        ? Effect.logError("A request failed: the keys of subjects cannot be read", defect).pipe(
          Effect.annotateLogs({ requestId }),
          Effect.andThen(Effect.fail(unavailable()))
        )
        : Effect.die(defect)
  )
