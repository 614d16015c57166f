import { type Envelope, retryAfter, sendJson } from "../reply.ts"
import { V1Error, v1Failures } from "../api/failures.ts"

/**
 * `{"status":200,"data":…}`, and of a failure `{"status":…,"message":"<code>"}`, with `data` when the slip is a
 * duplicate (docs/spec/http.md, "v1 error body").
 */
export const v1Envelope: Envelope<V1Error, { readonly data: unknown }> = {
  reply: ({ data }, answering) => sendJson({ status: 200, data }, 200, answering),
  error: ({ code, data, retryAfterSeconds }, { headers, requestId }) => {
    const status = v1Failures[code].status
    const body = { status, message: code, ...(data === undefined ? {} : { data }) }
    return sendJson(body, status, { requestId, headers: { ...headers, ...retryAfter(retryAfterSeconds) } })
  },
  notFound: new V1Error({ code: "not_found" }),
  unforeseen: new V1Error({ code: "server_error" })
}
