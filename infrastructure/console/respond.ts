import { HttpServerResponse } from "effect/http"
import type { Html } from "../http/html.ts"

/** All that a page may do: look as it does, and talk to where it came from. Nothing inline, nothing from elsewhere. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'"
].join("; ")

/**
 * Of every answer. `same-origin` rather than `no-referrer`, under which browsers say `Origin: null` in a form's own
 * request, so that it could not be told from a stranger's.
 */
const guarded = {
  "content-security-policy": POLICY,
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin"
}

/** Pages show keys, names and amounts: nobody on the way keeps them. */
const NOT_KEPT = { "cache-control": "no-store" }

/** Not the `headers` of the request: those of the answer. */
interface Sending {
  readonly requestId: string
  readonly answerHeaders?: Readonly<Record<string, string>>
}

export const sendHtml = ({ html }: Html, status: number, { answerHeaders, requestId }: Sending) =>
  HttpServerResponse.text(html, {
    status,
    contentType: "text/html; charset=utf-8",
    headers: { "x-request-id": requestId, ...guarded, ...NOT_KEPT, ...answerHeaders }
  })

/** Sends the browser on with a GET. `path` is one of this site. */
export const sendSeeOther = (path: string, { answerHeaders, requestId }: Sending) =>
  HttpServerResponse.empty({
    status: 303,
    headers: { "x-request-id": requestId, ...guarded, ...NOT_KEPT, location: path, ...answerHeaders }
  })

/** A file whose address changes with its content: whoever has it need not ask again. */
export const sendFile = (text: string, contentType: string, { requestId }: Sending) =>
  HttpServerResponse.text(text, {
    contentType,
    headers: { "x-request-id": requestId, ...guarded, "cache-control": "public, max-age=31536000, immutable" }
  })
