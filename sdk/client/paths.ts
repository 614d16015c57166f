/**
 * The part of an operation that the client needs at run time. Of the rest of the declaration it uses only the types.
 */
export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  /** With parameters as the router writes them: `/v2/verify/bank/jobs/:jobId`. */
  readonly path: `/${string}`
  /** Whether it takes an `Idempotency-Key`. */
  readonly isKeyed?: boolean
  /** Whether a POST changes nothing, so that it can be repeated. */
  readonly isSafe?: boolean
}

export const v2Paths = {
  health: { method: "GET", path: "/v2/health" },
  info: { method: "GET", path: "/v2/info" },
  banks: { method: "GET", path: "/v2/banks" },
  verifyBank: { method: "POST", path: "/v2/verify/bank", isKeyed: true },
  verifyBankAsync: { method: "POST", path: "/v2/verify/bank/async", isKeyed: true },
  verifyBankBatch: { method: "POST", path: "/v2/verify/bank/batch", isKeyed: true },
  verifyWallet: { method: "POST", path: "/v2/verify/truewallet", isKeyed: true },
  verifyWalletAsync: { method: "POST", path: "/v2/verify/truewallet/async", isKeyed: true },
  verifyWalletBatch: { method: "POST", path: "/v2/verify/truewallet/batch", isKeyed: true },
  getJob: { method: "GET", path: "/v2/verify/bank/jobs/:jobId" },
  getBatch: { method: "GET", path: "/v2/verify/bank/batches/:batchId" },
  redeliverCallback: { method: "POST", path: "/v2/verify/bank/jobs/:jobId/redeliver" },
  listBankAccounts: { method: "GET", path: "/v2/bank-accounts" },
  createBankAccount: { method: "POST", path: "/v2/bank-accounts", isKeyed: true },
  getBankAccount: { method: "GET", path: "/v2/bank-accounts/:id" },
  changeBankAccount: { method: "PATCH", path: "/v2/bank-accounts/:id" },
  deactivateBankAccount: { method: "DELETE", path: "/v2/bank-accounts/:id" },
  getWebhook: { method: "GET", path: "/v2/webhook" },
  setWebhook: { method: "PUT", path: "/v2/webhook" },
  rotateWebhookSecret: { method: "POST", path: "/v2/webhook/secret/rotate" },
  listDeliveries: { method: "GET", path: "/v2/webhook/deliveries" },
  listApiKeys: { method: "GET", path: "/v2/keys" },
  createApiKey: { method: "POST", path: "/v2/keys" },
  revokeApiKey: { method: "DELETE", path: "/v2/keys/:id" },
  rotateApiKey: { method: "POST", path: "/v2/keys/:id/rotate" },
  listVerifications: { method: "GET", path: "/v2/verifications" },
  getVerification: { method: "GET", path: "/v2/verifications/:verificationId" },
  addNote: { method: "POST", path: "/v2/verifications/:verificationId/notes", isKeyed: true },
  getUsage: { method: "GET", path: "/v2/usage" },
  listJobs: { method: "GET", path: "/v2/jobs" },
  decode: { method: "POST", path: "/v2/decode", isSafe: true }
} as const satisfies Record<string, Route>
