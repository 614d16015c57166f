import { type Headers, HttpServerResponse } from "effect/http"
import { encodings, type StoredContent } from "./assets.ts"
import type { Html } from "./html.ts"

/** Pages load and contact this server only. Inline scripts and styles are refused. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'"
].join("; ")

/**
 * Headers of every answer. The referrer policy is not `no-referrer`: with that value browsers send `Origin: null` with
 * the console's own forms, which then look like forms of another site.
 */
export const securityHeaders = {
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin"
}

/** Pages show keys, names and amounts. */
const NO_STORE = { "cache-control": "no-store" }

interface AnswerContext {
  readonly requestId: string
  readonly answerHeaders?: Readonly<Record<string, string>>
}

export const sendHtml = ({ html }: Html, status: number, { answerHeaders, requestId }: AnswerContext) =>
  HttpServerResponse.text(html, {
    status,
    contentType: "text/html; charset=utf-8",
    headers: { "x-request-id": requestId, ...securityHeaders, ...NO_STORE, ...answerHeaders }
  })

/** Redirects the browser to a path of this server, which it requests with GET. */
export const sendRedirect = (path: string, { answerHeaders, requestId }: AnswerContext) =>
  HttpServerResponse.empty({
    status: 303,
    headers: { "x-request-id": requestId, ...securityHeaders, ...NO_STORE, location: path, ...answerHeaders }
  })

const acceptedEncodings = (header: string): ReadonlyArray<string> =>
  header.split(",").map((part) => part.trim().toLowerCase()).filter((part) => !/;\s*q=0(?:\.0*)?$/u.test(part))
    .map((part) => part.split(";", 1)[0] ?? "")

/** The headers of a file whose path contains a digest of its content: browsers keep it. */
const KEPT = { "cache-control": "public, max-age=31536000, immutable" }

/** Stored content, compressed where the browser accepts it. A browser that has it already receives no content. */
export const sendStored = (
  { bytes, contentType, digest, encoded }: StoredContent,
  { headers, requestId }: { readonly headers: Headers.Headers; readonly requestId: string },
  cacheHeaders: Readonly<Record<string, string>> = KEPT
) => {
  // Weak: the tag is the same for all encodings.
  const etag = `W/"${digest}"`
  const answerHeaders = {
    "x-request-id": requestId,
    ...securityHeaders,
    ...cacheHeaders,
    etag,
    vary: "accept-encoding"
  }
  if (headers["if-none-match"] === etag) return HttpServerResponse.empty({ status: 304, headers: answerHeaders })
  const accepted = acceptedEncodings(headers["accept-encoding"] ?? "")
  const encoding = encodings.find((candidate) => accepted.includes(candidate))
  const content = encoding === undefined ? undefined : encoded(encoding)
  return HttpServerResponse.uint8Array(content ?? bytes, {
    contentType,
    headers: content === undefined || encoding === undefined
      ? answerHeaders
      : { ...answerHeaders, "content-encoding": encoding }
  })
}
