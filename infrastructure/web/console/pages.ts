import { type Allowed, allowed } from "./page-context.ts"
import { auditPage } from "./pages/audit.ts"
import { bankAccountActions, bankAccountPage } from "./pages/bank-account.ts"
import { batchPage } from "./pages/batch.ts"
import { branchActions, branchPage, newBranchPage } from "./pages/branch.ts"
import { callbackActions, callbacksPage } from "./pages/callbacks.ts"
import { findPage } from "./pages/find.ts"
import { jobsPage } from "./pages/jobs.ts"
import { keyActions, newKeyPage } from "./pages/keys.ts"
import { newBankAccountActions, newBankAccountPage } from "./pages/new-bank-account.ts"
import { operatorActions, operatorsPage } from "./pages/operators.ts"
import { overviewPage } from "./pages/overview.ts"
import { policyActions, policyPage } from "./pages/policy.ts"
import { projectionActions, projectionsPage } from "./pages/projections.ts"
import { requestPage } from "./pages/request.ts"
import { serviceActions, servicePage } from "./pages/service.ts"
import { newServicePage, servicesActions, servicesPage } from "./pages/services.ts"
import { sessionActions, sessionsPage } from "./pages/sessions.ts"
import { newSignInLinkPage, signInLinkActions } from "./pages/sign-in-link.ts"
import { eraseAction, revealAction, subjectPage } from "./pages/subject.ts"
import { verificationsPage } from "./pages/verifications.ts"

/** All pages and all actions of forms, by their paths below `/console`. A part `:` of a path matches any text. */
export const pages: { readonly [Method in "get" | "post"]: Readonly<Record<string, Allowed>> } = {
  get: {
    "": allowed("listServices", overviewPage),
    "find": allowed("find", findPage),
    "verifications": allowed("listVerifications", verificationsPage),
    "jobs": allowed("listJobs", jobsPage),
    "trail/job/:": allowed("getTrail", subjectPage("Job")),
    "trail/verification/:": allowed("getTrail", subjectPage("Verification")),
    "trail/branch/:": allowed("getTrail", subjectPage("Branch")),
    "trail/slip/:/:": allowed("getTrail", subjectPage("Slip")),
    "request": allowed("getTrail", requestPage),
    "batches/:": allowed("listJobs", batchPage),
    "services": allowed("listServices", servicesPage),
    "services/new": allowed("createService", newServicePage),
    "services/:": allowed("getService", servicePage),
    "services/:/new-branch": allowed("createBranch", newBranchPage),
    "branches/:": allowed("getBranch", branchPage),
    "branches/:/policy": allowed("setPolicy", policyPage),
    "branches/:/new-key": allowed("createApiKey", newKeyPage),
    "branches/:/new-bank-account": allowed("registerBankAccount", newBankAccountPage),
    "branches/:/new-sign-in-link": allowed("createSignInLink", newSignInLinkPage),
    "bank-accounts/:": allowed("getBankAccount", bankAccountPage),
    "callbacks": allowed("listCallbacks", callbacksPage),
    "audit": allowed("listAudit", auditPage),
    "projections": allowed("listProjections", projectionsPage),
    "operators": allowed("listOperators", operatorsPage),
    "sessions": allowed("listSessions", sessionsPage)
  },
  post: {
    "trail/job/:/reveal": allowed("revealPersonalData", revealAction("Job")),
    "trail/verification/:/reveal": allowed("revealPersonalData", revealAction("Verification")),
    "trail/slip/:/:/reveal": allowed("revealPersonalData", revealAction("Slip")),
    "trail/job/:/erase": eraseAction("Job"),
    "trail/slip/:/:/erase": eraseAction("Slip"),
    ...servicesActions,
    ...serviceActions,
    ...branchActions,
    ...policyActions,
    ...keyActions,
    ...signInLinkActions,
    ...newBankAccountActions,
    ...bankAccountActions,
    ...callbackActions,
    ...projectionActions,
    ...operatorActions,
    ...sessionActions
  }
}
