import { jsonLiteral, shellText } from "./literals.ts"
import { FILE_NAME, type SampleBody, type SampleRequest } from "./sample-request.ts"

const bodyLines = (body: SampleBody | undefined): ReadonlyArray<string> => {
  if (body === undefined) return []
  if (body.type === "json") {
    return [`-H 'Content-Type: application/json'`, `-d ${shellText(jsonLiteral(body.value, "  "))}`]
  }
  if (body.type === "multipart") return [`-F ${shellText(`${body.field}=@${FILE_NAME}`)}`]
  return body.fields.map(([name, value]) => `--data-urlencode ${shellText(`${name}=${value}`)}`)
}

/** The method, unless curl chooses the same one itself. */
const methodFlag = ({ body, method }: SampleRequest): string =>
  method === (body === undefined ? "GET" : "POST") ? "" : `-X ${method} `

/** The request as a curl command. */
export const curlSample = (request: SampleRequest): string =>
  [
    `curl -s ${methodFlag(request)}"$BASE_URL${request.path}"`,
    ...(request.isOpen ? [] : [`-H "Authorization: Bearer $${request.keyVariable}"`]),
    ...(request.idempotencyKey === undefined ? [] : [`-H ${shellText(`Idempotency-Key: ${request.idempotencyKey}`)}`]),
    ...bodyLines(request.body)
  ].join(" \\\n  ")
