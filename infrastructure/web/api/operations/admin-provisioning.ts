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
import { RotatedSecret } from "../responses/job.ts"
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
  optionalBody,
  page,
  success
} from "./admin-operation.ts"
import { operationsOf } from "./declare.ts"

const inAccounts = operationsOf("Accounts")
const inServices = operationsOf("Services")
const inBranches = operationsOf("Branches")

const account = (message: string) => success(responses.Account, message, examples.account)
const service = (message: string) => success(responses.Service, message, examples.service)
const branch = (message: string) => success(responses.Branch, message, examples.branch)
const policy = (message: string) => success(responses.BranchPolicy, message, examples.policy)

export const accounts = {
  createAccount: inAccounts.post("/admin/v1/accounts", {
    summary: "Create an account",
    description: "Its services may call once it is verified.",
    body: optionalBody(AccountRequest, { name: examples.account.name, email: examples.account.email }),
    success: created(responses.Account, "Account created", examples.account),
    codes: codesWithBoth
  }),
  getAccount: inAccounts.get("/admin/v1/accounts/:id", {
    summary: "An account",
    description: "With the owner's name and e-mail address.",
    success: account("Account"),
    codes: codesWithId
  }),
  verifyAccount: change(inAccounts, "accounts/:id/verify", "Verify an account", account("Account verified")),
  banAccount: ban(inAccounts, "accounts/:id/ban", "Ban an account", account("Account banned")),
  unbanAccount: change(inAccounts, "accounts/:id/unban", "Unban an account", account("Account unbanned"))
} as const satisfies Record<string, Operation<V2Code>>

export const services = {
  createService: inServices.post("/admin/v1/services", {
    summary: "Create a service",
    description:
      "With its main branch, whose API key and webhook secret are shown this once. `apiKey` keeps a key that "
      + "clients already have.",
    body: optionalBody(ServiceRequest, { name: "Somchai Shop", quota: 1000 }),
    success: created(responses.NewService, "Service created; key and secret are shown this once", {
      ...examples.service,
      mainBranch: { ...examples.service.mainBranch, ...examples.secrets }
    }),
    codes: codesWithKey
  }),
  listServices: inServices.get("/admin/v1/services", {
    summary: "All services",
    description: "Oldest first, deleted services included.",
    isPaged: true,
    success: page(responses.Service, "Services", examples.service),
    codes: codesWithInput
  }),
  getService: inServices.get("/admin/v1/services/:id", {
    summary: "A service with its branches",
    description: "Also when it was deleted.",
    success: success(responses.ServiceWithBranches, "Service", { ...examples.service, branches: [examples.branch] }),
    codes: codesWithId
  }),
  changeService: inServices.patch("/admin/v1/services/:id", {
    summary: "Change a service",
    description: "An absent field keeps its value. `quota` is that of the main branch.",
    body: optionalBody(ServiceChangeRequest, { plan: "large", quota: null }),
    success: service("Service changed"),
    codes: codesWithBoth
  }),
  banService: ban(inServices, "services/:id/ban", "Ban a service", service("Service banned")),
  unbanService: change(inServices, "services/:id/unban", "Unban a service", service("Service unbanned")),
  deleteService: change(inServices, "services/:id/delete", "Delete a service", service("Service deleted")),
  activateService: change(inServices, "services/:id/activate", "Activate a service", service("Service activated")),
  deactivateService: change(
    inServices,
    "services/:id/deactivate",
    "Deactivate a service",
    service("Service deactivated")
  ),
  createBranch: inBranches.post("/admin/v1/services/:id/branches", {
    summary: "Add a branch to a service",
    description: "The API key and the webhook secret are shown this once. `apiKey` keeps a key that clients already "
      + "have.",
    body: optionalBody(BranchRequest, { name: "Branch 2", ipWhitelist: ["203.0.113.0/24"] }),
    success: created(responses.NewBranch, "Branch created; key and secret are shown this once", {
      ...examples.branch,
      isMain: false,
      ...examples.secrets
    }),
    codes: codesWithKey
  })
} as const satisfies Record<string, Operation<V2Code>>

export const branches = {
  getBranch: inBranches.get("/admin/v1/branches/:id", {
    summary: "A branch",
    description: "With its quota, IP whitelist and default webhook URL.",
    success: branch("Branch"),
    codes: codesWithId
  }),
  changeBranch: inBranches.patch("/admin/v1/branches/:id", {
    summary: "Change a branch",
    description: "An absent field keeps its value.",
    body: optionalBody(BranchChangeRequest, { ipWhitelist: ["*"] }),
    success: branch("Branch changed"),
    codes: codesWithBoth
  }),
  getPolicy: inBranches.get("/admin/v1/branches/:id/policy", {
    summary: "The policy of a branch",
    description: "The conditions that judge its verifications. Both fields are null without a policy.",
    success: policy("Policy"),
    codes: codesWithId
  }),
  setPolicy: inBranches.put("/admin/v1/branches/:id/policy", {
    summary: "Set the policy of a branch",
    description: "Replaces the whole policy. Verdicts that are recorded keep the version that judged them.",
    body: body(PolicyRequest, examples.policy.conditions),
    success: policy("Policy set"),
    codes: codesWithBoth
  }),
  removePolicy: inBranches.remove("/admin/v1/branches/:id/policy", {
    summary: "Remove the policy of a branch",
    description: "Changes nothing when there is none.",
    success: success(responses.BranchPolicy, "Policy removed", examples.noPolicy),
    codes: codesWithId
  }),
  activateBranch: change(inBranches, "branches/:id/activate", "Activate a branch", branch("Branch activated")),
  deactivateBranch: change(inBranches, "branches/:id/deactivate", "Deactivate a branch", branch("Branch deactivated")),
  rotateKey: inBranches.post("/admin/v1/branches/:id/rotate-key", {
    summary: "Issue a new API key",
    description: "The old key stops at once, and so do the sign-in links of the branch that were not redeemed.",
    success: success(responses.NewKey, "API key rotated; the new one is shown this once", {
      ...examples.branch,
      apiKey: examples.secrets.apiKey
    }),
    codes: codesWithId
  }),
  rotateSecret: inBranches.post("/admin/v1/branches/:id/rotate-webhook-secret", {
    summary: "Issue a new webhook secret",
    description: "During the overlap both secrets sign.",
    body: optionalBody(RotateRequest, { overlapSeconds: 3600 }),
    success: success(RotatedSecret, "Webhook secret rotated; the new one is shown this once", examples.rotated),
    codes: codesWithBoth
  })
} as const satisfies Record<string, Operation<V2Code>>
