import { banks as allBanks } from "../../../domain/bank.ts"
import type { BankAccount, Banks, Info } from "./responses/account.ts"
import type { ApiKey } from "./responses/key.ts"
import type { Batch, CallbackBody, Deliveries, Job } from "./responses/job.ts"
import type { RawSlip, RawWalletSlip, VerifyBankData, VerifyWalletData } from "../../../application/views/slip.ts"
import type { Decoded } from "./responses/decoded.ts"

/** The slip of all examples, as the sandbox bank answers it. Its people do not exist. */
const payload = "0046000600000101030040225SBXF000037S20TOVMTPDR6N6V5102TH91040040"
const verificationId = "537c69d8-4c1e-4247-95aa-d697af7c414a"
const bank = { id: "004", name: "ธนาคารกสิกรไทย", short: "KBANK" }

export const ids = {
  verification: verificationId,
  job: "7e9e1ae8-2e1e-4eb5-97f2-54a8af831d1d",
  batch: "c4dfd8bf-e7d6-4b30-a5ec-9ef515980527",
  account: "0a4b6a3e-6a2b-4f53-8f0a-2f3a8cf8f1f7",
  request: "5f1b9a52-3c74-4a8e-9b0d-6c1e2f7a8d43"
}

export const rawSlip: RawSlip = {
  payload,
  transRef: "SBXF000037S20TOVMTPDR6N6V",
  date: "2026-11-22T07:03:25+07:00",
  countryCode: "TH",
  amount: { amount: 1500.5, local: { amount: 1500.5, currency: "764" } },
  fee: 0,
  ref1: "",
  ref2: "",
  ref3: "",
  sender: {
    bank,
    account: {
      name: { th: "น.ส. สมหญิง ต", en: "MISS SOMYING T" },
      bank: { type: "BANKAC", account: "xxx-x-x3448-x" }
    }
  },
  receiver: {
    bank,
    account: { name: { th: "นาย สมหมาย ท", en: "MR. SOMMAI T" }, bank: { type: "BANKAC", account: "xxx-x-x1234-x" } },
    merchantId: null
  }
}

const answer = { isDuplicate: false, amountInSlip: 1500.5, matchedAccount: null, rawSlip, verificationId }

export const verified: VerifyBankData = {
  remark: "order 42",
  isDuplicate: false,
  amountInSlip: 1500.5,
  amountInOrder: 1500.5,
  isAmountMatched: true,
  matchedAccount: null,
  rawSlip,
  verificationId
}

export const rawWalletSlip: RawWalletSlip = {
  transactionId: "50000000000001",
  date: "2026-11-22T10:15:00+07:00",
  amount: 99,
  sender: { name: "สมชาย ท***" },
  receiver: { name: "สุขใจ ต***", phone: "070-***-2468" }
}

export const walletVerified: VerifyWalletData = {
  ...answer,
  amountInSlip: rawWalletSlip.amount,
  rawSlip: rawWalletSlip
}

export const duplicate: VerifyBankData = {
  ...answer,
  isDuplicate: true,
  verificationId: "86f16278-f496-47b6-bf0b-243385fe80e3",
  duplicate: { firstVerifiedAt: "2026-11-22T00:03:25.759Z", sameBranch: true, count: 2 }
}

export const bankAccount: typeof BankAccount.Type = {
  id: ids.account,
  bankCode: "004",
  bankNumber: "9990012345",
  nameTh: "นาย สมหมาย ทดสอบ",
  nameEn: "MR. SOMMAI THOTSOP",
  type: "PERSONAL",
  extraVerify: null,
  isActive: true,
  createdAt: "2026-11-20T02:00:00.000Z",
  updatedAt: "2026-11-20T02:00:00.000Z"
}

export const matched: VerifyBankData = {
  ...answer,
  matchedAccount: {
    id: ids.account,
    bank: { code: "004", nameTh: "ธนาคารกสิกรไทย", nameEn: "Kasikornbank", shortCode: "KBANK" },
    nameTh: bankAccount.nameTh,
    nameEn: bankAccount.nameEn,
    type: bankAccount.type,
    bankNumber: bankAccount.bankNumber
  },
  match: {
    account: "match",
    isAmbiguous: false,
    reasons: ["The number xxx-x-x1234-x of the slip agrees with account 9990012345 in 4 digits"]
  }
}

export const notAccepted: VerifyBankData = {
  ...matched,
  accepted: false,
  reasons: [{
    code: "amount_differs",
    message: "The slip has another amount. Ask the payer for the difference, or for another slip",
    expected: 1600,
    actual: 1500.5
  }],
  policyVersion: 3
}

const delivered = {
  url: "https://shop.example/slip-results",
  state: "delivered",
  attempts: 1,
  lastStatus: 200,
  nextAttemptAt: null,
  deliveredAt: "2026-11-22T00:03:26.010Z"
} as const

const job = { jobId: ids.job, batchId: null, createdAt: "2026-11-22T00:03:25.808Z" }
export const SLIP_NOT_FOUND = { code: "SLIP_NOT_FOUND", message: "Slip not found or invalid" } as const

export const pendingJob: typeof Job.Type = {
  ...job,
  status: "pending",
  timestamp: null,
  expiresAt: null,
  attempts: 1,
  nextAttemptAt: "2026-11-22T00:03:55.822Z",
  callback: { ...delivered, state: "pending", attempts: 0, lastStatus: null, deliveredAt: null }
}

const ended = {
  timestamp: "2026-11-22T00:03:25.822Z",
  expiresAt: "2026-11-29T00:03:25.822Z",
  attempts: 1,
  nextAttemptAt: null,
  callback: delivered
}

const success = { status: "success", data: verified } as const
const notFound = { status: "not_found", error: SLIP_NOT_FOUND } as const

export const successfulJob: typeof Job.Type = { ...job, ...success, ...ended }
export const notFoundJob: typeof Job.Type = { ...job, ...notFound, ...ended, attempts: 5 }

const { timestamp } = ended
export const successCallback: typeof CallbackBody.Type = { jobId: ids.job, batchId: null, ...success, timestamp }
export const notFoundCallback: typeof CallbackBody.Type = { jobId: ids.job, batchId: ids.batch, ...notFound, timestamp }

const batchJobIds = ["e56ee7b7-6383-5a3a-9222-4d216324f035", "f217ea26-d7fc-5179-9eaa-49aa36e9a344"] as const

export const acceptedBatch = { batchId: ids.batch, jobs: batchJobIds.map((jobId, index) => ({ index, jobId })) }

export const batch: typeof Batch.Type = {
  batchId: ids.batch,
  size: 2,
  counts: { pending: 1, success: 1, not_found: 0 },
  createdAt: "2026-11-22T00:03:25.819Z",
  jobs: [
    { index: 0, jobId: batchJobIds[0], status: "success" },
    { index: 1, jobId: batchJobIds[1], status: "pending" }
  ]
}

export const redelivery = {
  jobId: ids.job,
  callback: { ...delivered, state: "pending", nextAttemptAt: ended.timestamp }
}

export const deliveries: typeof Deliveries.Type = {
  items: [{
    jobId: ids.job,
    attempt: 1,
    host: "shop.example",
    at: "2026-11-22T00:03:25.830Z",
    status: "delivered",
    httpStatus: 200,
    reason: null,
    tookMillis: 180,
    nextAttemptAt: null
  }],
  nextCursor: null
}

const quota = { used: 3, max: 1000, remaining: 997, totalUsed: 412 }

export const info: typeof Info.Type = {
  application: {
    id: "1575cf33-035a-46b1-94bb-5a31c404f8ed",
    name: "Somchai Shop",
    autoRenew: { expired: false, quota: false },
    quota,
    expiresAt: null
  },
  branch: { id: "e37df9d1-29c7-48d2-8772-e2d743f4a1fe", name: "Main", isMain: true, isActive: true, quota },
  account: { email: "owner@shop.example" },
  product: { name: "standard" }
}

/** A bank without `extraVerify` values, and one that requires such a value. */
export const banks: typeof Banks.Type = allBanks.filter(({ code }) => code === "004" || code === "PROMPTPAY")

const slipQr = { kind: "slip", payload, sendingBank: "004", transRef: rawSlip.transRef, crc: "ok", hints: {} } as const

export const decoded: typeof Decoded.Type = { ...slipQr, slips: [slipQr] }

export const me = { application: "Somchai Shop", usedQuota: 3, maxQuota: 1000, remainingQuota: 997, expiredAt: null }

export const apiKey: typeof ApiKey.Type = {
  id: "9c1d4f0a7be25836",
  name: "Till 3",
  scopes: ["verify"],
  state: "active",
  expiresAt: "2027-12-31T17:00:00.000Z",
  networks: ["203.0.113.0/24"],
  lastUsedOn: "2026-11-22",
  createdAt: "2026-11-21T02:00:00.000Z"
}

export const newApiKey = { ...apiKey, lastUsedOn: null, apiKey: "4f7c2d1e-93b8-4a60-8c5d-17e2f9a3b604" }

export const rotatedApiKey = { ...newApiKey, previousExpiresAt: "2026-11-23T02:00:00.000Z" }

export const apiKeyRequest = {
  name: apiKey.name,
  scopes: apiKey.scopes,
  expiresAt: "2028-01-01T00:00:00+07:00",
  networks: apiKey.networks
}

/** The bodies of requests. */
export const requests = {
  payload: { payload },
  amount: { payload, matchAmount: 1500.5, remark: "order 42" },
  account: { payload, matchAccount: true },
  conditions: {
    payload,
    conditions: { amount: { equals: 1600 }, transferredAt: { withinMinutes: 60 }, receivers: "registered" }
  },
  url: { url: "https://shop.example/slips/42.png" },
  later: { payload, remark: "order 42", callbackUrl: delivered.url },
  batch: {
    slips: [{ payload, remark: "order 42" }, { url: "https://shop.example/slips/43.png" }],
    callbackUrl: delivered.url
  },
  bankAccount: {
    bankCode: bankAccount.bankCode,
    bankNumber: "999-0-01234-5",
    nameTh: bankAccount.nameTh,
    nameEn: bankAccount.nameEn,
    type: bankAccount.type
  },
  promptPay: { bankCode: "PROMPTPAY", bankNumber: "070-000-2468", nameTh: "น.ส. สุขใจ ตัวอย่าง", extraVerify: "MSISDN" }
}

/** The bodies of requests about TrueMoney slips. */
export const walletRequests = {
  url: { url: "https://shop.example/slips/44.png", matchAmount: 99 },
  later: { url: "https://shop.example/slips/44.png", callbackUrl: delivered.url },
  batch: {
    slips: [{ url: "https://shop.example/slips/44.png" }, { url: "https://shop.example/slips/45.png" }],
    callbackUrl: delivered.url
  }
}
