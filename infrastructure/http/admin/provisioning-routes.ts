import { decodePolicy } from "../../input/conditions-request.ts"
import { decodedBy } from "../decode-request.ts"
import { Effect, Layer } from "effect"
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
import type { AdminRoute } from "./admin-route.ts"
import { adminOperations as operations } from "../../api/operations/admin.ts"
import { DEFAULT_PLAN } from "../../api/requests/provisioning.ts"

const accountRoutes = (route: AdminRoute) =>
  Layer.mergeAll(
    route(
      operations.createAccount,
      ({ body: { email = null, name = null }, operation }) => createAccount({ name, email }, operation)
    ),
    route(
      operations.getAccount,
      Effect.fnUntraced(function* ({ id }) {
        return (yield* (yield* Directory).account(id)) ?? (yield* new AccountNotFound())
      })
    ),
    route(operations.verifyAccount, ({ id, operation }) => changeAccount(id, { _tag: "VerifyAccount" }, operation)),
    route(
      operations.banAccount,
      ({ body: { reason = null }, id, operation }) => changeAccount(id, { _tag: "BanAccount", reason }, operation)
    ),
    route(operations.unbanAccount, ({ id, operation }) => changeAccount(id, { _tag: "UnbanAccount" }, operation))
  )

const serviceRoutes = (route: AdminRoute) =>
  Layer.mergeAll(
    route(
      operations.createService,
      ({ body: { accountId, apiKey, expiresAt = null, name, plan = DEFAULT_PLAN, quota = null }, operation }) =>
        createService({ name, plan, quota, accountId: accountId?.toLowerCase(), expiresAt, apiKey }, operation)
    ),
    route(
      operations.listServices,
      Effect.fnUntraced(function* ({ page }) {
        return yield* (yield* Directory).services(page)
      })
    ),
    route(
      operations.getService,
      Effect.fnUntraced(function* ({ id }) {
        const directory = yield* Directory
        const service = yield* directory.service(id)
        if (service === undefined) return yield* new ServiceNotFound()
        return { ...service, branches: yield* directory.branchesOf(service.id) }
      })
    ),
    route(operations.changeService, ({ body, id, operation }) => patchService(id, body, operation)),
    route(
      operations.banService,
      ({ body: { reason = null }, id, operation }) => changeService(id, { _tag: "BanService", reason }, operation)
    ),
    route(operations.unbanService, ({ id, operation }) => changeService(id, { _tag: "UnbanService" }, operation)),
    route(operations.deleteService, ({ id, operation }) => changeService(id, { _tag: "DeleteService" }, operation)),
    route(operations.activateService, ({ id, operation }) => changeService(id, { _tag: "ActivateService" }, operation)),
    route(
      operations.deactivateService,
      ({ id, operation }) => changeService(id, { _tag: "DeactivateService" }, operation)
    ),
    route(
      operations.createBranch,
      ({ body: { apiKey, name, ...settings }, id: serviceId, operation }) =>
        createBranch({ serviceId, name, settings, apiKey }, operation)
    )
  )

const branchRoutes = (route: AdminRoute) =>
  Layer.mergeAll(
    route(
      operations.getBranch,
      Effect.fnUntraced(function* ({ id }) {
        return (yield* (yield* Directory).branch(id)) ?? (yield* new BranchNotFound())
      })
    ),
    route(operations.changeBranch, ({ body, id, operation }) => changeBranch(id, body, operation)),
    route(operations.getPolicy, ({ id }) => Effect.map(findPolicy(id), policyJson)),
    route(decodedBy(operations.setPolicy, { decodeBody: decodePolicy }), ({ body, id, operation }) =>
      Effect.map(setPolicy(id, body, operation), policyJson)),
    route(operations.removePolicy, ({ id, operation }) =>
      Effect.map(removePolicy(id, operation), policyJson)),
    route(operations.activateBranch, ({ id, operation }) => switchBranch(id, "active", operation)),
    route(operations.deactivateBranch, ({ id, operation }) => switchBranch(id, "inactive", operation)),
    route(operations.rotateKey, ({ id, operation }) => rotateApiKey(id, operation)),
    route(
      operations.rotateSecret,
      ({ body: { overlapSeconds }, id, operation }) => rotateWebhookSecret(id, operation, overlapSeconds)
    )
  )

/** Accounts, services and branches. */
export const provisioningRoutes = (route: AdminRoute) =>
  Layer.mergeAll(accountRoutes(route), serviceRoutes(route), branchRoutes(route))
