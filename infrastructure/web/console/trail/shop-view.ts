import { Effect } from "effect"
import { Directory } from "../../../../application/provisioning/directory.ts"
import { markup } from "../../pages/html.ts"
import { pathTo } from "../page-context.ts"

/** Links to the service and the branch of a caller. The id stands for a branch that the directory does not have. */
export const shopView = Effect.fnUntraced(function* (branchId: string) {
  const directory = yield* Directory
  const branch = yield* directory.branch(branchId)
  if (branch === undefined) return markup`<a class="id" href="${pathTo("branches", branchId)}">${branchId}</a>`
  const service = yield* directory.service(branch.serviceId)
  return markup`<a href="${pathTo("services", branch.serviceId)}">${service?.name ?? branch.serviceId}</a> · <a
href="${pathTo("branches", branch.id)}">${branch.name}</a>`
})
