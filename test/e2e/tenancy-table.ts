import { randomUUID } from "node:crypto"
import type { Operation, Query } from "../../infrastructure/web/api/operation.ts"
import { v1Operations, v2Operations } from "../../infrastructure/web/api/operations/all.ts"
import { newSlip } from "../support/client.ts"
import type { Thing } from "./given-tenants.ts"

/** What a keyed request needs besides slips. */
export interface Pictures {
  readonly picture: Buffer
  readonly pictureUrl: string
}

/** How an operation can name things of a branch. Its declaration says what must be named: see `aspectsOf`. */
export interface Row {
  /** The kind of thing that each parameter of the path names. */
  readonly params?: Readonly<Record<string, Thing>>
  /** The kind of thing that a parameter of the query names; `none` for one that names nothing of a branch. */
  readonly query?: Readonly<Record<string, Thing | "none">>
  /** Whether it is a list with cursors. */
  readonly isPaged?: boolean
  /** A new body for a request with an `Idempotency-Key`. */
  readonly keyedBody?: (pictures: Pictures) => object
  /** A body that a request with a parameter in its path needs. */
  readonly body?: object
}

const slip = () => ({ payload: newSlip().payload })
const account = () => ({
  bankCode: "004",
  bankNumber: String(Number.parseInt(randomUUID().slice(0, 8), 16)).padStart(10, "7"),
  nameTh: "นาย สมชาย ใจดี"
})
const walletUrl = ({ pictureUrl }: Pictures) => ({ url: `${pictureUrl}?${randomUUID()}` })

/** Every operation of v1 and v2, by version and name. A new one needs a row: without it the test fails. */
export const table: Readonly<Record<string, Row>> = {
  "v1 me": {},
  "v1 verifyPayload": { query: { payload: "none", checkDuplicate: "none" } },
  "v1 verifyPicture": {},
  "v1 verifyWallet": {},
  "v2 health": {},
  "v2 info": {},
  "v2 banks": {},
  "v2 decode": {},
  "v2 verifyBank": { keyedBody: slip },
  "v2 verifyBankAsync": { keyedBody: slip },
  "v2 verifyBankBatch": { keyedBody: () => ({ slips: [slip(), slip()] }) },
  "v2 verifyWallet": { keyedBody: ({ picture }) => ({ base64: picture.toString("base64"), remark: randomUUID() }) },
  "v2 verifyWalletAsync": { keyedBody: walletUrl },
  "v2 verifyWalletBatch": { keyedBody: (pictures) => ({ slips: [walletUrl(pictures)] }) },
  "v2 getJob": { params: { jobId: "job" } },
  "v2 getBatch": { params: { batchId: "batch" } },
  "v2 redeliverCallback": { params: { jobId: "job" } },
  "v2 getWebhook": {},
  "v2 setWebhook": {},
  "v2 rotateWebhookSecret": {},
  "v2 listDeliveries": {
    isPaged: true,
    query: { jobId: "job", status: "none", from: "none", to: "none", order: "none" }
  },
  "v2 listApiKeys": { isPaged: true },
  "v2 createApiKey": {},
  "v2 rotateApiKey": { params: { id: "key" } },
  "v2 revokeApiKey": { params: { id: "spareKey" } },
  "v2 listVerifications": {
    isPaged: true,
    query: {
      from: "none",
      to: "none",
      outcome: "none",
      isDuplicate: "none",
      accepted: "none",
      minAmount: "none",
      maxAmount: "none",
      remark: "none",
      reference: "none",
      referenceEnd: "none",
      bankAccount: "none",
      order: "none"
    }
  },
  "v2 getVerification": { params: { verificationId: "verification" } },
  "v2 addNote": {
    params: { verificationId: "verification" },
    keyedBody: () => ({ text: randomUUID() }),
    body: { text: "The payer called" }
  },
  "v2 getUsage": { query: { from: "none", to: "none", order: "none" } },
  "v2 listJobs": { isPaged: true, query: { status: "none", from: "none", to: "none", order: "none" } },
  "v2 listBankAccounts": { isPaged: true, query: { isActive: "none" } },
  "v2 createBankAccount": { keyedBody: account },
  "v2 getBankAccount": { params: { id: "account" } },
  "v2 changeBankAccount": { params: { id: "account" }, body: { nameEn: "ANOTHER NAME" } },
  "v2 deactivateBankAccount": { params: { id: "account" } }
}

/** A declared operation. */
export interface Declaration {
  readonly name: string
  readonly operation: Operation
}

const declarations = (version: string, operations: Readonly<Record<string, Operation>>): ReadonlyArray<Declaration> =>
  Object.entries(operations).map(([name, operation]) => ({ name: `${version} ${name}`, operation }))

export const allDeclarations = [...declarations("v1", v1Operations), ...declarations("v2", v2Operations)]

const namesIn = (query: Query | undefined): ReadonlyArray<string> => Object.keys(query?.fields ?? {}).sort()

/** How a declaration lets a caller name things. */
export const aspectsOf = ({ isKeyed = false, isPaged = false, path, query }: Operation) => ({
  params: Array.from(path.matchAll(/:(\w+)/gu), ([, name = ""]) => name),
  query: namesIn(query),
  isPaged,
  isKeyed
})

/** The same of a row. */
export const aspectsOfRow = ({ isPaged = false, keyedBody, params = {}, query = {} }: Row) => ({
  params: Object.keys(params),
  query: Object.keys(query).sort(),
  isPaged,
  isKeyed: keyedBody !== undefined
})
