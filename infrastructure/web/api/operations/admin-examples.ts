import { maskName, maskNumber } from "../../../../domain/slip/masks.ts"
import { bankAccount as branchBankAccount, deliveries, ids } from "../examples.ts"

export const createdAt = "2026-11-20T02:00:00.000Z"
const branchId = "e37df9d1-29c7-48d2-8772-e2d743f4a1fe"
const serviceId = "1575cf33-035a-46b1-94bb-5a31c404f8ed"
const position = "1042"

export const account = {
  id: "5d7b3c1a-9a39-4d0c-9f1e-3b1c86a8a5b2",
  name: "Somchai",
  email: "owner@shop.example",
  isVerified: true,
  isBanned: false,
  createdAt
}

export const branch = {
  id: branchId,
  serviceId,
  name: "Main",
  isMain: true,
  isActive: true,
  quota: 1000,
  ipWhitelist: ["*"],
  webhookUrl: "https://shop.example/slip-results",
  createdAt
}

export const policy = {
  version: 3,
  conditions: {
    amount: { atLeast: 20 },
    transferredAt: { withinMinutes: 60 },
    receivers: "registered",
    duplicate: "reject"
  }
}

export const noPolicy = { version: null, conditions: null }

export const secrets = {
  apiKey: "0b9f1a52-6d53-4f0e-8e3b-2f5a1c7d9e44",
  webhookSecret: "whsec_T05MWSBBTiBFWEFNUExFLCBOT1QgQSBTRUNSRVQhISE="
}

export const signInLinkRequest = { name: "Till 1", scopes: ["verify"], validHours: 24 }

export const signInLink = {
  id: "9c2e7d10b4a86f3395d1e0a7c48b62f5",
  link: "https://slips.shop.example/app/link/4b1f0c9e7a52d86340e9b7c1f25a8d034b1f0c9e7a52d86340e9b7c1f25a8d03",
  expiresAt: "2026-11-21T02:00:00.000Z",
  keyId: "2f7a90c4d1e6b835",
  name: signInLinkRequest.name,
  scopes: signInLinkRequest.scopes
}

export const openSignInLink = {
  id: signInLink.id,
  name: signInLink.name,
  scopes: signInLink.scopes,
  networks: null,
  createdAt: "2026-11-20T02:00:00.000Z",
  expiresAt: signInLink.expiresAt,
  keyId: signInLink.keyId,
  operator: "nok",
  madeByKey: null
}

export const rotated = {
  secret: secrets.webhookSecret,
  effectiveAt: "2026-11-22T00:03:25.799Z",
  previousExpiresAt: "2026-11-22T01:03:25.799Z"
}

export const service = {
  id: serviceId,
  accountId: account.id,
  name: "Somchai Shop",
  plan: "standard",
  quota: 1000,
  expiresAt: null,
  isActive: true,
  isBanned: false,
  isDeleted: false,
  createdAt,
  mainBranch: { id: branchId, name: "Main" }
}

export const bankAccount = {
  ...branchBankAccount,
  bankNumber: maskNumber(branchBankAccount.bankNumber),
  nameTh: maskName(branchBankAccount.nameTh),
  nameEn: branchBankAccount.nameEn === null ? null : maskName(branchBankAccount.nameEn),
  branchIds: [branchId]
}

export const job = {
  jobId: ids.job,
  branchId,
  state: "pending",
  createdAt: "2026-11-22T00:03:25.808Z",
  attempts: 1,
  nextAttemptAt: "2026-11-22T00:03:55.822Z"
}

export const callback = {
  jobId: ids.job,
  branchId,
  host: "shop.example",
  url: "https://shop.example/slip-results",
  state: "abandoned",
  attempts: 6,
  lastStatus: 503,
  nextAttemptAt: null,
  deliveredAt: null,
  lastAttemptAt: deliveries.items[0]?.at ?? null,
  lastReason: null
}

export const trail = {
  events: [{
    position,
    stream: `branch-${branchId}`,
    revision: 0,
    type: "BranchCreated",
    at: createdAt,
    actor: { kind: "admin", id: "api" },
    requestId: ids.request,
    clientRequestId: null,
    data: { branchId, serviceId, name: "Main", isMain: true, at: createdAt }
  }],
  state: null,
  truncated: false,
  nextCursor: null
}

export const erasure = { at: createdAt, jobIds: [ids.job] }
const jobs = { name: "jobs", model: "jobs.v3" }
const none = { count: 0, lines: [] }
export const projection = { ...jobs, checkpoint: position, head: position, lag: 0, isAhead: false }
export const rebuilt = { ...jobs, position, tookMillis: 180 }
export const comparison = { ...jobs, position, lines: 12, isSame: true, surplus: none, missing: none }

const counts = {
  verified: 118,
  duplicates: 9,
  failed: 3,
  failures: { SLIP_NOT_FOUND: 2, SLIP_PENDING: 1 },
  amount: 48_250.5,
  p50Millis: 215,
  p95Millis: 861,
  callbacks: { delivered: 40, failed: 1, rejected: 0 }
}

export const statistics = { total: counts, items: [{ from: "2026-11-21T08:00:00.000Z", ...counts }] }
