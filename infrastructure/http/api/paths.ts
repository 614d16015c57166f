/**
 * Method and path of every operation, and nothing else: the client has this of the declaration at run time, the types of
 * the rest vanish.
 */
export const v2Paths = {
  health: { method: "GET", path: "/v2/health" },
  info: { method: "GET", path: "/v2/info" },
  banks: { method: "GET", path: "/v2/banks" },
  verifyBank: { method: "POST", path: "/v2/verify/bank" },
  verifyBankAsync: { method: "POST", path: "/v2/verify/bank/async" },
  verifyBankBatch: { method: "POST", path: "/v2/verify/bank/batch" },
  getJob: { method: "GET", path: "/v2/verify/bank/jobs/:jobId" },
  getBatch: { method: "GET", path: "/v2/verify/bank/batches/:batchId" },
  redeliverCallback: { method: "POST", path: "/v2/verify/bank/jobs/:jobId/redeliver" },
  listBankAccounts: { method: "GET", path: "/v2/bank-accounts" },
  createBankAccount: { method: "POST", path: "/v2/bank-accounts" },
  getBankAccount: { method: "GET", path: "/v2/bank-accounts/:id" },
  changeBankAccount: { method: "PATCH", path: "/v2/bank-accounts/:id" },
  deactivateBankAccount: { method: "DELETE", path: "/v2/bank-accounts/:id" },
  getWebhook: { method: "GET", path: "/v2/webhook" },
  setWebhook: { method: "PUT", path: "/v2/webhook" },
  rotateWebhookSecret: { method: "POST", path: "/v2/webhook/secret/rotate" },
  listDeliveries: { method: "GET", path: "/v2/webhook/deliveries" },
  decode: { method: "POST", path: "/v2/decode" }
} as const

export const v1Paths = {
  me: { method: "GET", path: "/v1/me" },
  verifyPayload: { method: "GET", path: "/v1/verify" },
  verifyPicture: { method: "POST", path: "/v1/verify" }
} as const
