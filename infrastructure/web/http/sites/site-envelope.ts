import { type Content, markup } from "../../pages/html.ts"
import type { Language } from "../../languages/languages.ts"
import { sendHtml } from "../../pages/respond.ts"
import type { Envelope } from "../server/reply.ts"

/** The content of an answer outside the pages. */
interface Notice {
  readonly status: number
  /** The heading, in the site's language. */
  readonly message: string
  /** The message in English, when the site's language is another one. */
  readonly english?: string
}

interface SiteNotices extends Pick<Envelope<Notice>, "notFound" | "repeated" | "unexpected"> {
  readonly language: Language
}

const englishNotices: SiteNotices = {
  language: "en",
  notFound: { status: 404, message: "Page not found" },
  unexpected: { status: 500, message: "An unexpected error occurred. The log has its cause under this id." },
  repeated: (header) => ({ status: 400, message: `The request has several ${header} headers. Send one.` })
}

/**
 * Answers of a site outside its pages: unknown methods, inexact paths, and unexpected errors. The language of the reader
 * is not known here. `home` is the first page, for a link.
 */
export const siteEnvelope = (
  home: string | undefined,
  { language, ...notices }: SiteNotices = englishNotices
): Envelope<Notice, never> => {
  const link: Content = home === undefined ? undefined : markup`
<p><a href="${home}">SlipTrail</a></p>`
  return {
    ...notices,
    reply: (never) => never,
    error: ({ english, message, status }, { headers = {}, requestId }) =>
      sendHtml(
        markup`<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>SlipTrail</title></head>
<body><main><h1>${message}</h1>${
          english === undefined ? undefined : markup`<p lang="en">${english}</p>`
        }<p>X-Request-Id: <code>${requestId}</code></p>${link}</main></body>
</html>`,
        status,
        { requestId, answerHeaders: headers }
      )
  }
}
