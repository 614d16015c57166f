import type { Effect } from "effect"
import type { BankAccounts } from "../../application/bank-accounts/list-bank-accounts.ts"
import type { Callers } from "../../application/provisioning/callers.ts"
import type { Directory } from "../../application/provisioning/directory.ts"
import type { EventStore } from "../../ports/event-store.ts"
import type { GatewayStatuses } from "../../ports/gateway-status.ts"
import type { Identifiers } from "../../ports/identifiers.ts"
import type { ReadModels } from "../../ports/read-models.ts"
import type { Vault } from "../../ports/vault.ts"
import type { Failure } from "../http/application-failures.ts"
import type { Maintenance } from "../http/maintenance.ts"
import type { PageContext, PageResult } from "./page-context.ts"
import { bankAccountActions, bankAccountPage } from "./pages/bank-account.ts"
import { batchPage } from "./pages/batch.ts"
import { branchActions, branchPage, newBranchPage } from "./pages/branch.ts"
import { callbackActions, callbacksPage } from "./pages/callbacks.ts"
import { findPage } from "./pages/find.ts"
import { makeOverview } from "./pages/overview.ts"
import { policyActions, policyPage } from "./pages/policy.ts"
import { makeProjections } from "./pages/projections.ts"
import { requestPage } from "./pages/request.ts"
import { serviceActions, servicePage } from "./pages/service.ts"
import { createServiceAction, newServicePage, servicesPage } from "./pages/services.ts"
import { subjectPage } from "./pages/subject.ts"

type Needs = BankAccounts | Callers | Directory | EventStore | GatewayStatuses | Identifiers | ReadModels | Vault

/** A path below `/console` and its handler. A part `:` of the path matches any text. */
type Entry = readonly [pattern: string, handler: (context: PageContext) => Effect.Effect<PageResult, Failure, Needs>]

const match = (pattern: string, parts: ReadonlyArray<string>): ReadonlyArray<string> | undefined => {
  const patternParts = pattern.split("/").filter((part) => part !== "")
  if (patternParts.length !== parts.length) return undefined
  const isMatch = patternParts.every((part, index) => part === ":" || part === parts[index]?.toLowerCase())
  return isMatch ? parts.filter((_, index) => patternParts[index] === ":") : undefined
}

/** Finds the first entry that matches, and returns the texts that `:` matched. */
const router = (entries: ReadonlyArray<Entry>) => (parts: ReadonlyArray<string>) => {
  for (const [pattern, handler] of entries) {
    const params = match(pattern, parts)
    if (params !== undefined) return { handler, params }
  }
  return undefined
}

/** All pages (`get`) and all form actions (`post`). */
export const makePages = (maintenance: Maintenance) => {
  const projections = makeProjections(maintenance)
  return {
    get: router([
      ["", makeOverview(maintenance)],
      ["find", findPage],
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
      ["branches/:/policy", policyPage],
      ["bank-accounts/:", bankAccountPage],
      ["callbacks", callbacksPage],
      ["projections", projections.page]
    ]),
    post: router([
      ["services/new", createServiceAction],
      ["services/:", serviceActions.change],
      ["services/:/ban", serviceActions.ban],
      ["services/:/unban", serviceActions.unban],
      ["services/:/activate", serviceActions.activate],
      ["services/:/deactivate", serviceActions.deactivate],
      ["services/:/delete", serviceActions.remove],
      ["services/:/verify-account", serviceActions.verifyAccount],
      ["services/:/new-branch", branchActions.create],
      ["branches/:", branchActions.change],
      ["branches/:/policy", policyActions.set],
      ["branches/:/policy/remove", policyActions.remove],
      ["branches/:/activate", branchActions.activate],
      ["branches/:/deactivate", branchActions.deactivate],
      ["branches/:/rotate-key", branchActions.rotateKey],
      ["branches/:/rotate-webhook-secret", branchActions.rotateSecret],
      ["bank-accounts/:", bankAccountActions.change],
      ["bank-accounts/:/deactivate", bankAccountActions.deactivate],
      ["callbacks/redeliver", callbackActions.redeliverOne],
      ["callbacks/redeliver-host", callbackActions.redeliverHost],
      ["projections/:/rebuild", projections.rebuild],
      ["projections/:/compare", projections.compare]
    ])
  }
}
