import type { Caller } from "../../application/provisioning/callers.ts"
import type { Scope } from "../../domain/api-key.ts"
import type { Exchange } from "../http/endpoint.ts"
import { type Content, type Html, markup, raw } from "../pages/html.ts"
import { languageLinks } from "../pages/language.ts"
import { CONTENT_SECURITY_POLICY, sendHtml } from "../pages/respond.ts"
import { fontStyle, furtherStyles, icons, script, style } from "./assets.ts"
import type { Messages } from "./messages.ts"
import type { Menu } from "./page-context.ts"

interface Layout {
  readonly messages: Messages
  readonly title: string
  readonly content: Content
  /** Path and query of the page, for the link to the other language. */
  readonly path: string
  /** Whether the sandbox bank is one of the gateways. */
  readonly isSandbox: boolean
  /** The session; absent on pages for a browser without one. */
  readonly session?: {
    readonly caller: Caller
    readonly formToken: string
    readonly may: (scope: Scope) => boolean
    readonly menu: Menu | undefined
  }
}

const menuPaths: ReadonlyArray<readonly [menu: Menu, path: string, scope: Scope]> = [
  ["check", "/app", "verify"],
  ["history", "/app/verifications", "read"],
  ["settings", "/app/settings", "configure"]
]

const menuView = ({ messages, session }: Layout): Content => {
  if (session === undefined) return undefined
  const items = menuPaths.filter(([, , scope]) => session.may(scope)).map(([menu, path]) =>
    markup`<li><a href="${path}"${raw(menu === session.menu ? ' aria-current="page"' : "")}>${
      messages.menu[menu]
    }</a></li>`
  )
  return markup`<nav aria-label="${messages.menu.label}"><ul>${items}</ul></nav>`
}

const footer = (page: Layout): Html => {
  const { messages, session } = page
  const account = session === undefined
    ? undefined
    : markup`<span class="any">${session.caller.service.name} · ${session.caller.branch.name}</span>
<form method="post" action="/app/sign-out"><input type="hidden" name="csrf" value="${session.formToken}"><button
class="quiet">${messages.signIn.signOut}</button></form>`
  return markup`<footer>${account}${languageLinks("/app", messages, page.path)}</footer>`
}

const documentOf = (page: Layout): Html => {
  const { content, isSandbox, messages, title } = page
  return markup`<!doctype html>
<html lang="${messages.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} · SlipTrail</title>
<meta name="theme-color" content="#0b6353">
<link rel="manifest" href="/app/manifest.webmanifest">
<link rel="icon" type="image/svg+xml" href="${icons[0].path}">
<link rel="apple-touch-icon" href="${icons[1].path}">
${[fontStyle, style, ...furtherStyles].map(({ path }) => markup`<link rel="stylesheet" href="${path}">`)}
<script src="${script.path}" defer></script>
</head>
<body data-style="${style.path}">
<a class="skip" href="#content">${messages.skip}</a>
<header class="top"><a class="brand" href="/app"><span class="mark" aria-hidden="true"></span>SlipTrail</a>${
    menuView(page)
  }${isSandbox ? markup`<p class="banner sandbox">${messages.sandbox}</p>` : undefined}</header>
<main id="content" tabindex="-1">${content}</main>
${footer(page)}
</body>
</html>`
}

/** Besides what all pages may do, these install a service worker and use the camera. */
const headers = {
  "content-security-policy": `${CONTENT_SECURITY_POLICY}; manifest-src 'self'; worker-src 'self'`,
  "permissions-policy": "camera=(self), microphone=(), geolocation=()"
}

/** Answers with a page of the shop. */
export const sendPage = (page: Layout, status: number, exchange: Exchange) =>
  sendHtml(documentOf(page), status, { ...exchange, answerHeaders: { ...headers, ...exchange.answerHeaders } })
