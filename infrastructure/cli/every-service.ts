import { Effect } from "effect"
import { Directory, type ServiceView } from "../../application/provisioning/directory.ts"

/** Services of a page; the list is read page by page. */
const PAGE = 500

/** All services, oldest first, deleted ones included. */
export const everyService = Effect.gen(function* () {
  const directory = yield* Directory
  const found: Array<ServiceView> = []
  let cursor: string | null | undefined
  while (cursor !== null) {
    const page = yield* directory.services({ cursor, limit: PAGE })
    found.push(...page.items)
    cursor = page.nextCursor
  }
  return found
})
