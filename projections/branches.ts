import { branchesModel } from "../application/models/branches.ts"
import { branchesWrites } from "../application/models/branches-writes.ts"
import type { Projection } from "./projection.ts"

/** Who may call, for whom and under which rules: API-key digest → branch → service → account. */
export const branchesProjection: Projection = {
  ...branchesModel,
  streams: ["account-", "service-", "branch-"],
  when: branchesWrites
}
