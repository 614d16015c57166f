import { v2Operations } from "../../../infrastructure/web/api/operations/all.ts"
import { typescriptLiteral } from "./literals.ts"
import { FILE_NAME, type Json, type SampleBody, type SampleRequest } from "./sample-request.ts"

/** The methods of the client, by operation. An operation without one is called with `fetch`. */
const clientMethods: { readonly [Name in keyof typeof v2Operations]?: string } = {
  health: "health",
  info: "info",
  banks: "banks",
  verifyBank: "verify",
  verifyBankAsync: "verifyAsync",
  verifyBankBatch: "verifyBatch",
  verifyWallet: "verifyWallet",
  verifyWalletAsync: "verifyWalletAsync",
  verifyWalletBatch: "verifyWalletBatch",
  getJob: "job",
  getBatch: "batch",
  redeliverCallback: "redeliver",
  listBankAccounts: "bankAccounts.list",
  createBankAccount: "bankAccounts.create",
  getBankAccount: "bankAccounts.get",
  changeBankAccount: "bankAccounts.change",
  deactivateBankAccount: "bankAccounts.deactivate",
  getWebhook: "webhook.get",
  setWebhook: "webhook.set",
  rotateWebhookSecret: "webhook.rotateSecret",
  listDeliveries: "webhook.deliveries",
  listApiKeys: "keys.list",
  createApiKey: "keys.create",
  revokeApiKey: "keys.revoke",
  rotateApiKey: "keys.rotate",
  listVerifications: "verifications.list",
  getVerification: "verifications.get",
  getUsage: "usage",
  listJobs: "jobs.list",
  decode: "decode"
}

const isClientOperation = (operationId: string): operationId is keyof typeof v2Operations =>
  Object.hasOwn(v2Operations, operationId)

const environment = ({ isOpen, keyVariable }: SampleRequest): string =>
  `const { ${isOpen ? "" : `${keyVariable} = "", `}BASE_URL = "" } = process.env`

const CLIENT_ENVIRONMENT = `const { API_KEY = "", BASE_URL = "" } = process.env`
const READ_FILE = `import { readFile } from "node:fs/promises"`

const readFile = `await readFile("${FILE_NAME}")`

/** The client takes the URL itself, not the body with it. */
const urlOf = (body: Json): Json =>
  typeof body === "object" && body !== null && !Array.isArray(body) && "url" in body ? body.url ?? null : body

/** The body as an argument of the client's method. */
const bodyArgument = (operationId: string, body: SampleBody): string => {
  if (body.type === "multipart") return `{ ${body.field}: ${readFile} }`
  const value: Json = body.type === "json" ? body.value : Object.fromEntries(body.fields)
  return typescriptLiteral(operationId === "setWebhook" ? urlOf(value) : value)
}

const withClient = (method: string, request: SampleRequest): string => {
  const { body, idempotencyKey, operationId, params, query } = request
  const isMultipart = body?.type === "multipart"
  const args = [
    ...params.map((param) => typescriptLiteral(param)),
    ...(body === undefined ? [] : [bodyArgument(operationId, body)]),
    ...(Object.keys(query).length === 0 ? [] : [typescriptLiteral(query)]),
    ...(idempotencyKey === undefined ? [] : [`{ idempotencyKey: ${typescriptLiteral(idempotencyKey)} }`])
  ]
  return `${isMultipart ? `${READ_FILE}\n` : ""}import { makeSlipTrail } from "sliptrail/client"

${CLIENT_ENVIRONMENT}
const slipTrail = makeSlipTrail({ baseUrl: BASE_URL, apiKey: API_KEY })

// Throws a SlipTrailError with the code of a failure.
const data = await slipTrail.${method}(${args.join(", ")})
console.log(data)
`
}

const bodyOption = (body: SampleBody): string => {
  if (body.type === "json") return `body: JSON.stringify(${typescriptLiteral(body.value, "  ")})`
  if (body.type === "multipart") return "body: form"
  return `body: new URLSearchParams(${typescriptLiteral(Object.fromEntries(body.fields), "  ")})`
}

const checks = {
  v1: `if (answer.status !== 200) throw new Error(answer.message)\nconsole.log(answer.data)`,
  v2: `if (!answer.success) throw new Error(answer.error.code)\nconsole.log(answer.data)`
}

const withFetch = (request: SampleRequest): string => {
  const { body, envelope, idempotencyKey, isOpen, keyVariable, method, path } = request
  const headers = [
    ...(isOpen ? [] : [`authorization: \`Bearer \${${keyVariable}}\``]),
    ...(idempotencyKey === undefined ? [] : [`"idempotency-key": ${typescriptLiteral(idempotencyKey)}`]),
    ...(body?.type === "json" ? [`"content-type": "application/json"`] : [])
  ]
  const options = [
    ...(method === "GET" ? [] : [`method: ${typescriptLiteral(method)}`]),
    ...(headers.length === 0 ? [] : [`headers: { ${headers.join(", ")} }`]),
    ...(body === undefined ? [] : [bodyOption(body)])
  ]
  const form = body?.type === "multipart"
    ? `const form = new FormData()\nform.append("${body.field}", new Blob([${readFile}]), "${FILE_NAME}")\n`
    : ""
  return `${form === "" ? "" : `${READ_FILE}\n\n`}${environment(request)}
${form}const response = await fetch(\`\${BASE_URL}${path}\`${
    options.length === 0 ? "" : `, {\n  ${options.join(",\n  ")}\n}`
  })
${
    envelope === undefined
      ? "if (!response.ok) throw new Error(await response.text())\nconsole.log(await response.text())"
      : `const answer = await response.json()\n${checks[envelope]}`
  }
`
}

/** The request in TypeScript: with the client where it has a method for it, otherwise with `fetch`. */
export const typescriptSample = (request: SampleRequest): string => {
  const { body, operationId } = request
  // The client sends JSON, or a form with a file.
  const method = isClientOperation(operationId) && body?.type !== "urlencoded" ? clientMethods[operationId] : undefined
  return method === undefined ? withFetch(request) : withClient(method, request)
}
