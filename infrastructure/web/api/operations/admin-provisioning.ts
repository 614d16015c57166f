import { PolicyRequest } from "../requests/conditions.ts"
import {
  AccountRequest,
  BranchChangeRequest,
  BranchRequest,
  RotateRequest,
  ServiceChangeRequest,
  ServiceRequest
} from "../requests/provisioning.ts"
import type { V2Code } from "../failures.ts"
import type { Operation } from "../operation.ts"
import * as responses from "../responses/admin.ts"
import * as examples from "./admin-examples.ts"
import {
  ban,
  body,
  change,
  codesWithBoth,
  codesWithId,
  codesWithInput,
  codesWithKey,
  created,
  id,
  optionalBody,
  page,
  success
} from "./admin-operation.ts"

const account = (message: string) => success(responses.Account, message, examples.account)
const service = (message: string) => success(responses.Service, message, examples.service)
const branch = (message: string) => success(responses.Branch, message, examples.branch)
const policy = (message: string) => success(responses.BranchPolicy, message, examples.policy)

export const accounts = {
  createAccount: {
    method: "POST",
    path: "/admin/v1/accounts",
    tag: "Accounts",
    summary: "Create an account",
    description: "Its services may call once it is verified.",
    body: optionalBody(AccountRequest, { name: examples.account.name, email: examples.account.email }),
    success: created(responses.Account, "Account created", examples.account),
    codes: codesWithBoth
  },
  getAccount: {
    method: "GET",
    path: "/admin/v1/accounts/:id",
    tag: "Accounts",
    summary: "An account",
    description: "With the owner's name and e-mail address.",
    params: { id },
    success: account("Account"),
    codes: codesWithId
  },
  verifyAccount: change("Accounts", "accounts/:id/verify", "Verify an account", account("Account verified")),
  banAccount: ban("Accounts", "accounts/:id/ban", "Ban an account", account("Account banned")),
  unbanAccount: change("Accounts", "accounts/:id/unban", "Unban an account", account("Account unbanned"))
} as const satisfies Record<string, Operation<V2Code>>

export const services = {
  createService: {
    method: "POST",
    path: "/admin/v1/services",
    tag: "Services",
    summary: "Create a service",
    description:
      "With its main branch, whose API key and webhook secret are shown this once. `apiKey` keeps a key that "
      + "clients already have.",
    body: optionalBody(ServiceRequest, { name: "Somchai Shop", quota: 1000 }),
    success: created(
      responses.NewService,
      "Service created; key and secret are shown this once",
      { ...examples.service, mainBranch: { ...examples.service.mainBranch, ...examples.secrets } }
    ),
    codes: codesWithKey
  },
  listServices: {
    method: "GET",
    path: "/admin/v1/services",
    tag: "Services",
    summary: "All services",
    description: "Oldest first, deleted services included.",
    isPaged: true,
    success: page(responses.Service, "Services", examples.service),
    codes: codesWithInput
  },
  getService: {
    method: "GET",
    path: "/admin/v1/services/:id",
    tag: "Services",
    summary: "A service with its branches",
    description: "Also when it was deleted.",
    params: { id },
    success: success(responses.ServiceWithBranches, "Service", { ...examples.service, branches: [examples.branch] }),
    codes: codesWithId
  },
  changeService: {
    method: "PATCH",
    path: "/admin/v1/services/:id",
    tag: "Services",
    summary: "Change a service",
    description: "An absent field keeps its value. `quota` is that of the main branch.",
    params: { id },
    body: optionalBody(ServiceChangeRequest, { plan: "large", quota: null }),
    success: service("Service changed"),
    codes: codesWithBoth
  },
  banService: ban("Services", "services/:id/ban", "Ban a service", service("Service banned")),
  unbanService: change("Services", "services/:id/unban", "Unban a service", service("Service unbanned")),
  deleteService: change("Services", "services/:id/delete", "Delete a service", service("Service deleted")),
  activateService: change("Services", "services/:id/activate", "Activate a service", service("Service activated")),
  deactivateService: change(
    "Services",
    "services/:id/deactivate",
    "Deactivate a service",
    service("Service deactivated")
  ),
  createBranch: {
    method: "POST",
    path: "/admin/v1/services/:id/branches",
    tag: "Branches",
    summary: "Add a branch to a service",
    description: "The API key and the webhook secret are shown this once. `apiKey` keeps a key that clients already "
      + "have.",
    params: { id },
    body: optionalBody(BranchRequest, { name: "Branch 2", ipWhitelist: ["203.0.113.0/24"] }),
    success: created(
      responses.NewBranch,
      "Branch created; key and secret are shown this once",
      { ...examples.branch, isMain: false, ...examples.secrets }
    ),
    codes: codesWithKey
  }
} as const satisfies Record<string, Operation<V2Code>>

export const branches = {
  getBranch: {
    method: "GET",
    path: "/admin/v1/branches/:id",
    tag: "Branches",
    summary: "A branch",
    description: "With its quota, IP whitelist and default webhook URL.",
    params: { id },
    success: branch("Branch"),
    codes: codesWithId
  },
  changeBranch: {
    method: "PATCH",
    path: "/admin/v1/branches/:id",
    tag: "Branches",
    summary: "Change a branch",
    description: "An absent field keeps its value.",
    params: { id },
    body: optionalBody(BranchChangeRequest, { ipWhitelist: ["*"] }),
    success: branch("Branch changed"),
    codes: codesWithBoth
  },
  getPolicy: {
    method: "GET",
    path: "/admin/v1/branches/:id/policy",
    tag: "Branches",
    summary: "The policy of a branch",
    description: "The conditions that judge its verifications. Both fields are null without a policy.",
    params: { id },
    success: policy("Policy"),
    codes: codesWithId
  },
  setPolicy: {
    method: "PUT",
    path: "/admin/v1/branches/:id/policy",
    tag: "Branches",
    summary: "Set the policy of a branch",
    description: "Replaces the whole policy. Verdicts that are recorded keep the version that judged them.",
    params: { id },
    body: body(PolicyRequest, examples.policy.conditions),
    success: policy("Policy set"),
    codes: codesWithBoth
  },
  removePolicy: {
    method: "DELETE",
    path: "/admin/v1/branches/:id/policy",
    tag: "Branches",
    summary: "Remove the policy of a branch",
    description: "Changes nothing when there is none.",
    params: { id },
    success: success(responses.BranchPolicy, "Policy removed", examples.noPolicy),
    codes: codesWithId
  },
  activateBranch: change("Branches", "branches/:id/activate", "Activate a branch", branch("Branch activated")),
  deactivateBranch: change("Branches", "branches/:id/deactivate", "Deactivate a branch", branch("Branch deactivated")),
  rotateKey: {
    ...change(
      "Branches",
      "branches/:id/rotate-key",
      "Issue a new API key",
      success(responses.NewKey, "API key rotated; the new one is shown this once", {
        ...examples.branch,
        apiKey: examples.secrets.apiKey
      })
    ),
    description: "The old key stops at once, and so do the sign-in links of the branch that were not redeemed."
  },
  rotateSecret: {
    ...change(
      "Branches",
      "branches/:id/rotate-webhook-secret",
      "Issue a new webhook secret",
      success(responses.NewWebhookSecret, "Webhook secret rotated; the new one is shown this once", examples.rotated)
    ),
    description: "During the overlap codesWithBoth secrets sign.",
    body: optionalBody(RotateRequest, { overlapSeconds: 3600 }),
    codes: codesWithBoth
  }
} as const satisfies Record<string, Operation<V2Code>>
