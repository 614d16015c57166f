import type { Effect } from "effect"
import type { BankAccounts } from "../../../application/bank-accounts/list-bank-accounts.ts"
import type { EndedSessions } from "../../../application/operators/console-sessions.ts"
import type { Act } from "../../../domain/permissions.ts"
import type { Callers } from "../../../application/provisioning/callers.ts"
import type { Directory } from "../../../application/provisioning/directory.ts"
import type { EventStore } from "../../../ports/event-store.ts"
import type { GatewayStatuses } from "../../../ports/gateway-status.ts"
import type { Identifiers } from "../../../ports/identifiers.ts"
import type { ReadModels } from "../../../ports/read-models.ts"
import type { Vault } from "../../../ports/vault.ts"
import type { AdminAuth } from "../http/auth/admin-auth.ts"
import type { Failure } from "../http/operations/application-failures.ts"
import type { Standstill } from "../http/server/health.ts"
import type { Maintenance } from "../http/operations/maintenance.ts"
import { matchPath } from "../pages/paths.ts"
import type { PageContext, PageResult } from "./page-context.ts"
import { auditPage } from "./pages/audit.ts"
import { bankAccountActions, bankAccountPage } from "./pages/bank-account.ts"
import { linkActions } from "./pages/bank-account-links.ts"
import { batchPage } from "./pages/batch.ts"
import { branchActions, branchPage, newBranchPage } from "./pages/branch.ts"
import { callbackActions, callbacksPage } from "./pages/callbacks.ts"
import { findPage } from "./pages/find.ts"
import { newBankAccountPage, registerBankAccountAction } from "./pages/new-bank-account.ts"
import { makeOperators } from "./pages/operators.ts"
import { makeOverview } from "./pages/overview.ts"
import { jobsPage } from "./pages/jobs.ts"
import { keyActions, newKeyPage } from "./pages/keys.ts"
import { policyActions, policyPage } from "./pages/policy.ts"
import { makeProjections } from "./pages/projections.ts"
import { requestPage } from "./pages/request.ts"
import { serviceActions, servicePage } from "./pages/service.ts"
import { createServiceAction, newServicePage, servicesPage } from "./pages/services.ts"
import { makeSessionPages } from "./pages/sessions.ts"
import { createSignInLink, newSignInLinkPage, withdrawLinkAction } from "./pages/sign-in-link.ts"
import { eraseAction, revealAction, subjectPage } from "./pages/subject.ts"
import { verificationsPage } from "./pages/verifications.ts"

type Needs =
  | BankAccounts
  | Callers
  | Directory
  | EventStore
  | GatewayStatuses
  | Identifiers
  | ReadModels
  | Standstill
  | Vault

/** A path below `/console`, its handler, and the act of the table of permissions. A part `:` of the path matches any text. */
type Entry = readonly [
  pattern: string,
  handler: (context: PageContext) => Effect.Effect<PageResult, Failure, Needs>,
  act: Act
]

/** Finds the first entry that matches, and returns the texts that `:` matched. */
export const findEntry = (entries: ReadonlyArray<Entry>, parts: ReadonlyArray<string>) => {
  for (const [pattern, handler, act] of entries) {
    const params = matchPath(pattern, parts)
    if (params !== undefined) return { handler, params, act }
  }
  return undefined
}

/** All pages and all form actions. */
interface Entries {
  readonly get: ReadonlyArray<Entry>
  readonly post: ReadonlyArray<Entry>
}

export const makePages = (
  maintenance: Maintenance,
  followers: Pick<AdminAuth, "hasOtherAdmin" | "operators"> & { readonly endedSessions: EndedSessions }
) => {
  const projections = makeProjections(maintenance)
  const operators = makeOperators(followers)
  const sessions = makeSessionPages(followers)
  const entries: Entries = {
    get: [
      ["", makeOverview(maintenance), "listServices"],
      ["find", findPage, "find"],
      ["verifications", verificationsPage, "listVerifications"],
      ["jobs", jobsPage, "listJobs"],
      ["trail/job/:", subjectPage("Job"), "getTrail"],
      ["trail/verification/:", subjectPage("Verification"), "getTrail"],
      ["trail/branch/:", subjectPage("Branch"), "getTrail"],
      ["trail/slip/:/:", subjectPage("Slip"), "getTrail"],
      ["request", requestPage, "getTrail"],
      ["batches/:", batchPage, "listJobs"],
      ["services", servicesPage, "listServices"],
      ["services/new", newServicePage, "createService"],
      ["services/:", servicePage, "getService"],
      ["services/:/new-branch", newBranchPage, "createBranch"],
      ["branches/:", branchPage, "getBranch"],
      ["branches/:/policy", policyPage, "setPolicy"],
      ["branches/:/new-key", newKeyPage, "createApiKey"],
      ["branches/:/new-bank-account", newBankAccountPage, "registerBankAccount"],
      ["branches/:/new-sign-in-link", newSignInLinkPage, "createSignInLink"],
      ["bank-accounts/:", bankAccountPage, "getBankAccount"],
      ["callbacks", callbacksPage, "listCallbacks"],
      ["audit", auditPage, "listAudit"],
      ["projections", projections.page, "listProjections"],
      ["operators", operators.page, "listOperators"],
      ["sessions", sessions.page, "listSessions"]
    ],
    post: [
      ["trail/job/:/reveal", revealAction("Job"), "revealPersonalData"],
      ["trail/verification/:/reveal", revealAction("Verification"), "revealPersonalData"],
      ["trail/slip/:/:/reveal", revealAction("Slip"), "revealPersonalData"],
      ["trail/job/:/erase", eraseAction("Job"), "eraseSlip"],
      ["trail/slip/:/:/erase", eraseAction("Slip"), "eraseSlip"],
      ["services/new", createServiceAction, "createService"],
      ["services/:", serviceActions.change, "changeService"],
      ["services/:/ban", serviceActions.ban, "banService"],
      ["services/:/unban", serviceActions.unban, "unbanService"],
      ["services/:/activate", serviceActions.activate, "activateService"],
      ["services/:/deactivate", serviceActions.deactivate, "deactivateService"],
      ["services/:/delete", serviceActions.remove, "deleteService"],
      ["services/:/verify-account", serviceActions.verifyAccount, "verifyAccount"],
      ["services/:/new-branch", branchActions.create, "createBranch"],
      ["branches/:", branchActions.change, "changeBranch"],
      ["branches/:/policy", policyActions.set, "setPolicy"],
      ["branches/:/policy/remove", policyActions.remove, "removePolicy"],
      ["branches/:/activate", branchActions.activate, "activateBranch"],
      ["branches/:/deactivate", branchActions.deactivate, "deactivateBranch"],
      ["branches/:/rotate-key", branchActions.rotateKey, "rotateKey"],
      ["branches/:/new-key", keyActions.create, "createApiKey"],
      ["branches/:/new-sign-in-link", createSignInLink, "createSignInLink"],
      ["branches/:/sign-in-links/:/withdraw", withdrawLinkAction, "withdrawSignInLink"],
      ["branches/:/keys/:/rotate", keyActions.rotate, "rotateApiKey"],
      ["branches/:/keys/:/revoke", branchActions.revokeKey, "revokeApiKey"],
      ["branches/:/rotate-webhook-secret", branchActions.rotateSecret, "rotateSecret"],
      ["branches/:/new-bank-account", registerBankAccountAction, "registerBankAccount"],
      ["bank-accounts/:/link", linkActions.link, "linkBankAccount"],
      ["bank-accounts/:/unlink", linkActions.unlink, "unlinkBankAccount"],
      ["bank-accounts/:", bankAccountActions.change, "changeBankAccount"],
      ["bank-accounts/:/deactivate", bankAccountActions.deactivate, "deactivateBankAccount"],
      ["callbacks/redeliver", callbackActions.redeliverOne, "redeliverCallbacks"],
      ["callbacks/redeliver-host", callbackActions.redeliverHost, "redeliverCallbacks"],
      ["projections/:/rebuild", projections.rebuild, "rebuildProjection"],
      ["projections/:/compare", projections.compare, "compareProjection"],
      ["operators", operators.add, "addOperator"],
      ["operators/:/role", operators.setRole, "setOperatorRole"],
      ["operators/:/token", operators.newToken, "issueOperatorToken"],
      ["operators/:/remove", operators.remove, "removeOperator"],
      ["operators/:/end-sessions", sessions.endOfOperator, "endOperatorSessions"],
      ["sessions/:/end", sessions.end, "endSession"]
    ]
  }
  return entries
}
