import type { Effect } from "effect"
import type { EventStore } from "../../ports/event-store.ts"
import type { Identifiers } from "../../ports/identifiers.ts"
import type { ReadModels } from "../../ports/read-models.ts"
import type { Vault } from "../../ports/vault.ts"
import type { BankAccounts } from "../../application/bank-accounts/list-bank-accounts.ts"
import type { Callers } from "../../application/provisioning/callers.ts"
import type { Directory } from "../../application/provisioning/directory.ts"
import type { Readiness } from "../../projections/engine/readiness.ts"
import type { Maintenance } from "../http/maintenance.ts"
import { batchPage } from "./pages/batch.ts"
import * as branchActions from "./pages/branch-actions.ts"
import { branchPage } from "./pages/branch.ts"
import { callbacksPage, redeliverAll, redeliverOne } from "./pages/callbacks.ts"
import { find } from "./pages/find.ts"
import { createBranchAction, newBranchPage } from "./pages/new-branch.ts"
import { makeOverview } from "./pages/overview.ts"
import { makeProjections } from "./pages/projections.ts"
import { requestPage } from "./pages/request.ts"
import * as serviceActions from "./pages/service-actions.ts"
import { servicePage } from "./pages/service.ts"
import { createServiceAction, newServicePage, servicesPage } from "./pages/services.ts"
import { subjectPage } from "./pages/subject.ts"
import type { Answer, Visit } from "./page-context.ts"
import type { Failure } from "../http/application-failures.ts"

/** A path in parts; `:` stands for any one part. */
type Pattern = string

/** What pages look into, and what is done there works on. */
type Needs = BankAccounts | Callers | Directory | EventStore | Identifiers | Readiness | ReadModels | Vault

type Entry = readonly [Pattern, (visit: Visit) => Effect.Effect<Answer, Failure, Needs>]

const matches = (pattern: Pattern, parts: ReadonlyArray<string>): ReadonlyArray<string> | undefined => {
  const wanted = pattern.split("/").filter((part) => part !== "")
  if (wanted.length !== parts.length) return undefined
  const isAll = wanted.every((part, index) => part === ":" || part === parts[index]?.toLowerCase())
  return isAll ? parts.filter((_, index) => wanted[index] === ":") : undefined
}

/** The first page whose path it is, with what stands in the open places. */
const finder = (table: ReadonlyArray<Entry>) => (parts: ReadonlyArray<string>) => {
  for (const [pattern, page] of table) {
    const params = matches(pattern, parts)
    if (params !== undefined) return { page, params }
  }
  return undefined
}

/** Every page below `/console`, and everything that can be done there. */
export const makePages = (maintenance: Maintenance) => {
  const projections = makeProjections(maintenance)
  return {
    looks: finder([
      ["", makeOverview(maintenance)],
      ["find", find],
      ["trail/job/:", subjectPage("Job")],
      ["trail/verification/:", subjectPage("Verification")],
      ["trail/branch/:", subjectPage("Branch")],
      ["trail/slip/:/:", subjectPage("Slip")],
      ["request", requestPage],
      ["batches/:", batchPage],
      ["services", servicesPage],
      ["services/new", newServicePage],
      ["services/:", servicePage],
      ["services/:/new-branch", newBranchPage],
      ["branches/:", branchPage],
      ["callbacks", callbacksPage],
      ["projections", projections.page]
    ]),
    acts: finder([
      ["services/new", createServiceAction],
      ["services/:", serviceActions.change],
      ["services/:/ban", serviceActions.ban],
      ["services/:/unban", serviceActions.unban],
      ["services/:/activate", serviceActions.activate],
      ["services/:/deactivate", serviceActions.deactivate],
      ["services/:/delete", serviceActions.remove],
      ["services/:/verify-account", serviceActions.verifyAccount],
      ["services/:/new-branch", createBranchAction],
      ["branches/:", branchActions.change],
      ["branches/:/activate", branchActions.activate],
      ["branches/:/deactivate", branchActions.deactivate],
      ["branches/:/rotate-key", branchActions.rotateKey],
      ["branches/:/rotate-webhook-secret", branchActions.rotateSecret],
      ["callbacks/redeliver", redeliverOne],
      ["callbacks/redeliver-host", redeliverAll],
      ["projections/:/rebuild", projections.rebuild],
      ["projections/:/compare", projections.compare]
    ])
  }
}
