import { HttpServerResponse } from "effect/http"
import type { FontFile } from "./fonts.ts"
import type { Html } from "./html.ts"

/** Pages load and contact this server only. Inline scripts and styles are refused. */
const CONTENT_SECURITY_POLICY = [
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

/** Redirects the browser to `path` of the console, which it requests with GET. */
export const sendRedirect = (path: string, { answerHeaders, requestId }: AnswerContext) =>
  HttpServerResponse.empty({
    status: 303,
    headers: { "x-request-id": requestId, ...securityHeaders, ...NO_STORE, location: path, ...answerHeaders }
  })

/** For files whose path contains a digest of their content. */
const KEEP = { "cache-control": "public, max-age=31536000, immutable" }

/** A text file whose path contains a digest of its content. */
export const sendFile = (text: string, contentType: string, { requestId }: AnswerContext) =>
  HttpServerResponse.text(text, {
    contentType,
    headers: { "x-request-id": requestId, ...securityHeaders, ...KEEP }
  })

/** A font, compressed for a browser that accepts gzip (the header `Accept-Encoding`). */
export const sendFont = (
  { compressed, content, contentType }: FontFile,
  acceptEncoding: string | undefined,
  { requestId }: AnswerContext
) => {
  const acceptsGzip = /\bgzip\b/u.test(acceptEncoding ?? "")
  return HttpServerResponse.uint8Array(acceptsGzip ? compressed : content, {
    contentType,
    headers: {
      "x-request-id": requestId,
      ...securityHeaders,
      ...KEEP,
      vary: "accept-encoding",
      ...(acceptsGzip ? { "content-encoding": "gzip" } : {})
    }
  })
}
