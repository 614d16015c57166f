import type { OperatorRole } from "./operators.ts"

/**
 * The one table of what each role may do. Admin API, console and command line ask it, and docs/security.md is written
 * from it. An operation of the admin API without an entry does not compile (infrastructure/web/http/admin/admin-route.ts).
 */

/** Reads without personal data. */
const read = ["admin", "support", "auditor"] as const
/** Shows or takes out personal data. */
const disclose = ["admin", "auditor"] as const
/** Sends callbacks again. */
const resend = ["admin", "support"] as const
/** Everything else that changes something or is expensive. */
const change = ["admin"] as const

const adminApi = {
  createAccount: change,
  getAccount: read,
  verifyAccount: change,
  banAccount: change,
  unbanAccount: change,
  createService: change,
  listServices: read,
  getService: read,
  changeService: change,
  banService: change,
  unbanService: change,
  deleteService: change,
  activateService: change,
  deactivateService: change,
  createBranch: change,
  getBranch: read,
  changeBranch: change,
  getPolicy: read,
  setPolicy: change,
  removePolicy: change,
  activateBranch: change,
  deactivateBranch: change,
  rotateKey: change,
  listApiKeys: read,
  createApiKey: change,
  revokeApiKey: change,
  rotateApiKey: change,
  createSignInLink: change,
  listSignInLinks: read,
  withdrawSignInLink: change,
  rotateSecret: change,
  listServiceBankAccounts: read,
  listBranchBankAccounts: read,
  getBankAccount: read,
  changeBankAccount: change,
  deactivateBankAccount: change,
  linkBankAccount: change,
  unlinkBankAccount: change,
  listJobs: read,
  listCallbacks: read,
  redeliverCallbacks: resend,
  getStatistics: read,
  listVerifications: read,
  find: read,
  getTrail: read,
  eraseSlip: change,
  exportTrail: disclose,
  proveEvents: disclose,
  listTreeHeads: read,
  getSigningKey: read,
  listAudit: disclose,
  listOperators: read,
  addOperator: change,
  setOperatorRole: change,
  issueOperatorToken: change,
  removeOperator: change,
  endOperatorSessions: change,
  listSessions: read,
  endSession: change,
  getMe: read,
  listProjections: read,
  rebuildProjection: change,
  compareProjection: change
} as const

/** Acts that are not an operation of the admin API, or only a part of one. */
const furtherActs = {
  /** Registers a receiving account for a branch. Over HTTP a branch does it with its own key. */
  registerBankAccount: change,
  /** Shows personal data that is sealed in the log: `getTrail` with `reveal=true`. */
  revealPersonalData: disclose,
  /** "Sign out everywhere" of the console: ends the sessions of all operators. */
  endAllSessions: change
} as const

export const permissions = { ...adminApi, ...furtherActs } as const satisfies Readonly<
  Record<string, ReadonlyArray<OperatorRole>>
>

/** What an operator does: an operation of the admin API by its id, or a further act. */
export type Act = keyof typeof permissions

export const acts = Object.keys(permissions) as ReadonlyArray<Act>

/** Whether a role may do something. */
export const isAllowed = (role: OperatorRole, act: Act): boolean => {
  const roles: ReadonlyArray<OperatorRole> = permissions[act]
  return roles.includes(role)
}
