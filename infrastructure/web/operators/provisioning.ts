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

export const accounts = {
  createAccount: ({ body: { email = null, name = null }, operation }) => createAccount({ name, email }, operation),
  getAccount: Effect.fnUntraced(function* ({ id }) {
    return (yield* (yield* Directory).account(id)) ?? (yield* new AccountNotFound())
  }),
  verifyAccount: ({ id, operation }) => changeAccount(id, { _tag: "VerifyAccount" }, operation),
  banAccount: ({ body: { reason = null }, id, operation }) =>
    changeAccount(id, { _tag: "BanAccount", reason }, operation),
  unbanAccount: ({ id, operation }) => changeAccount(id, { _tag: "UnbanAccount" }, operation)
} satisfies HandlersOf<typeof declared.accounts>

export const services = {
  createService: ({
    body: { accountId, apiKey, expiresAt = null, name, plan = DEFAULT_PLAN, quota = null },
    operation
  }) => createService({ name, plan, quota, accountId: accountId?.toLowerCase(), expiresAt, apiKey }, operation),
  listServices: Effect.fnUntraced(function* ({ page }) {
    return yield* (yield* Directory).services(page)
  }),
  getService: Effect.fnUntraced(function* ({ id }) {
    const directory = yield* Directory
    const service = yield* directory.service(id)
    if (service === undefined) return yield* new ServiceNotFound()
    return { ...service, branches: yield* directory.branchesOf(service.id) }
  }),
  changeService: ({ body, id, operation }) => patchService(id, body, operation),
  banService: ({ body: { reason = null }, id, operation }) =>
    changeService(id, { _tag: "BanService", reason }, operation),
  unbanService: ({ id, operation }) => changeService(id, { _tag: "UnbanService" }, operation),
  deleteService: ({ id, operation }) => changeService(id, { _tag: "DeleteService" }, operation),
  activateService: ({ id, operation }) => changeService(id, { _tag: "ActivateService" }, operation),
  deactivateService: ({ id, operation }) => changeService(id, { _tag: "DeactivateService" }, operation),
  createBranch: ({ body: { apiKey, name, ...settings }, id: serviceId, operation }) =>
    createBranch({ serviceId, name, settings, apiKey }, operation)
} satisfies HandlersOf<typeof declared.services>

export const branches = {
  getBranch: Effect.fnUntraced(function* ({ id }) {
    return (yield* (yield* Directory).branch(id)) ?? (yield* new BranchNotFound())
  }),
  changeBranch: ({ body, id, operation }) => changeBranch(id, body, operation),
  getPolicy: ({ id }) => Effect.map(findPolicy(id), policyJson),
  setPolicy: ({ body, id, operation }) => Effect.map(setPolicy(id, body, operation), policyJson),
  removePolicy: ({ id, operation }) => Effect.map(removePolicy(id, operation), policyJson),
  activateBranch: ({ id, operation }) => switchBranch(id, "active", operation),
  deactivateBranch: ({ id, operation }) => switchBranch(id, "inactive", operation),
  rotateKey: ({ id, operation }) => rotateApiKey(id, operation),
  rotateSecret: ({ body: { overlapSeconds }, id, operation }) => rotateWebhookSecret(id, operation, overlapSeconds)
} satisfies HandlersOf<typeof declared.branches>
