import { Effect } from "effect"
import { eventually } from "./eventually.ts"
import { RunningService } from "./service.ts"

interface Keys {
  readonly items: ReadonlyArray<{ readonly lastUsedOn: string | null }>
}

/** Uses the default key of a new branch for the first time today, and waits until the log has the use of it. */
export const useKey = Effect.fnUntraced(function* ({ apiKey, id }: { readonly apiKey: string; readonly id: string }) {
  const { admin, call } = yield* RunningService
  yield* call("GET", "/v2/info", { key: apiKey })
  const keys = admin<Keys>("GET", `/branches/${id}/keys`)
  yield* eventually(keys, ({ data }) => data.items.every(({ lastUsedOn }) => lastUsedOn !== null))
})
