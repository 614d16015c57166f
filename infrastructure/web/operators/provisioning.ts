import { Effect } from "effect"
import {
  changeBranch,
  createBranch,
  rotateApiKey,
  rotateWebhookSecret,
  switchBranch
} from "../../../application/provisioning/branches.ts"
import { Directory } from "../../../application/provisioning/directory.ts"
import { findPolicy, policyJson, removePolicy, setPolicy } from "../../../application/provisioning/policies.ts"
import {
  changeAccount,
  changeService,
  createAccount,
  createService,
  patchService
} from "../../../application/provisioning/services.ts"
import { AccountNotFound } from "../../../domain/account.ts"
import { BranchNotFound } from "../../../domain/branch.ts"
import { ServiceNotFound } from "../../../domain/service.ts"
import type * as declared from "../api/operations/admin-provisioning.ts"
import { DEFAULT_PLAN } from "../api/requests/provisioning.ts"
import type { HandlersOf } from "./handler.ts"

/** The branch of an id. */
export const existingBranch = Effect.fnUntraced(function* (id: string) {
  return (yield* (yield* Directory).branch(id)) ?? (yield* new BranchNotFound())
})

/** The service of an id. */
export const existingService = Effect.fnUntraced(function* (id: string) {
  return (yield* (yield* Directory).service(id)) ?? (yield* new ServiceNotFound())
})

export const accounts = {
  createAccount: ({ body: { email = null, name = null }, ids }) => createAccount({ name, email }, ids),
  getAccount: Effect.fnUntraced(function* ({ id }) {
    return (yield* (yield* Directory).account(id)) ?? (yield* new AccountNotFound())
  }),
  verifyAccount: ({ id, ids }) => changeAccount(id, { _tag: "VerifyAccount" }, ids),
  banAccount: ({ body: { reason = null }, id, ids }) => changeAccount(id, { _tag: "BanAccount", reason }, ids),
  unbanAccount: ({ id, ids }) => changeAccount(id, { _tag: "UnbanAccount" }, ids)
} satisfies HandlersOf<typeof declared.accounts>

export const services = {
  createService: ({
    body: { accountId, apiKey, expiresAt = null, name, plan = DEFAULT_PLAN, quota = null },
    ids
  }) => createService({ name, plan, quota, accountId: accountId?.toLowerCase(), expiresAt, apiKey }, ids),
  listServices: Effect.fnUntraced(function* ({ page }) {
    return yield* (yield* Directory).services(page)
  }),
  getService: Effect.fnUntraced(function* ({ id }) {
    const service = yield* existingService(id)
    return { ...service, branches: yield* (yield* Directory).branchesOf(service.id) }
  }),
  changeService: ({ body, id, ids }) => patchService(id, body, ids),
  banService: ({ body: { reason = null }, id, ids }) => changeService(id, { _tag: "BanService", reason }, ids),
  unbanService: ({ id, ids }) => changeService(id, { _tag: "UnbanService" }, ids),
  deleteService: ({ id, ids }) => changeService(id, { _tag: "DeleteService" }, ids),
  activateService: ({ id, ids }) => changeService(id, { _tag: "ActivateService" }, ids),
  deactivateService: ({ id, ids }) => changeService(id, { _tag: "DeactivateService" }, ids),
  createBranch: ({ body: { apiKey, name, ...settings }, id: serviceId, ids }) =>
    createBranch({ serviceId, name, settings, apiKey }, ids)
} satisfies HandlersOf<typeof declared.services>

export const branches = {
  getBranch: ({ id }) => existingBranch(id),
  changeBranch: ({ body, id, ids }) => changeBranch(id, body, ids),
  getPolicy: ({ id }) => Effect.map(findPolicy(id), policyJson),
  setPolicy: ({ body, id, ids }) => Effect.map(setPolicy(id, body, ids), policyJson),
  removePolicy: ({ id, ids }) => Effect.map(removePolicy(id, ids), policyJson),
  activateBranch: ({ id, ids }) => switchBranch(id, "active", ids),
  deactivateBranch: ({ id, ids }) => switchBranch(id, "inactive", ids),
  rotateKey: ({ id, ids }) => rotateApiKey(id, ids),
  rotateSecret: ({ body: { overlapSeconds }, id, ids }) => rotateWebhookSecret(id, ids, overlapSeconds)
} satisfies HandlersOf<typeof declared.branches>
