import { Effect } from "effect"
import { branchRows, serviceRows } from "../../projections/models/branches.ts"

/** A branch and its service, as people call them. */
export interface ShopName {
  readonly branchId: string
  readonly branch: string
  readonly serviceId: string
  readonly service: string
}

/** The names of branches and their services, by the id of the branch. A branch without an entry is unknown. */
export const shopNames = Effect.fnUntraced(function* (branchIds: Iterable<string>) {
  const found = new Map<string, ShopName>()
  for (const branchId of new Set(branchIds)) {
    const branch = yield* branchRows.get(branchId)
    const service = branch && (yield* serviceRows.get(branch.serviceId))
    if (branch === undefined || service === undefined) continue
    found.set(branchId, { branchId, branch: branch.name, serviceId: branch.serviceId, service: service.name })
  }
  return found
})
