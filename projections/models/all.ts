import { auditProjection } from "./audit.ts"
import { bankAccountsProjection } from "./bank-accounts.ts"
import { branchesProjection } from "./branches.ts"
import { callbacksProjection } from "./callbacks.ts"
import { duplicatesProjection } from "./duplicates.ts"
import { jobsProjection } from "./jobs.ts"
import { operatorIndexProjection } from "./operator-index.ts"
import { quotaProjection } from "./quota.ts"
import { sessionsProjection } from "./sessions.ts"
import { signInLinksProjection } from "./sign-in-links.ts"
import { statisticsProjection } from "./statistics.ts"
import { trailIndexProjection } from "./trail-index.ts"
import { unboundValuesProjection } from "./unbound-values.ts"
import { verificationsProjection } from "./verifications.ts"

/** The projections of all read models. */
export const projections = [
  branchesProjection,
  quotaProjection,
  duplicatesProjection,
  trailIndexProjection,
  verificationsProjection,
  statisticsProjection,
  jobsProjection,
  callbacksProjection,
  bankAccountsProjection,
  sessionsProjection,
  signInLinksProjection,
  auditProjection,
  operatorIndexProjection,
  unboundValuesProjection
]

/** The projections whose models decide something: who may call, which accounts are compared, what is charged, what is shown. */
export const decidingProjections = [branchesProjection, bankAccountsProjection, quotaProjection, duplicatesProjection]
