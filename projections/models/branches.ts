import { branchesModel } from "./branches-rows.ts"
import { branchesWrites } from "./branches-writes.ts"
import type { Projection } from "../engine/projection.ts"

/** Who may call, for whom and under which rules: API-key digest → branch → service → account. */
export const branchesProjection: Projection = {
  ...branchesModel,
  streams: ["account-", "service-", "branch-"],
  when: branchesWrites
}
