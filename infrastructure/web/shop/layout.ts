import type { Caller } from "../../../application/provisioning/callers.ts"
import type { Scope } from "../../../domain/api-key.ts"
import type { Exchange } from "../http/server/endpoint.ts"
import { documentOf, menuView } from "../pages/frame.ts"
import { type Content, type Html, markup } from "../pages/html.ts"
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

const menuOf = ({ messages, session }: Layout): Content =>
  session === undefined ? undefined : menuView(
    messages.menu.label,
    menuPaths.filter(([, , scope]) => session.may(scope)).map(([menu, path]) =>
      [messages.menu[menu], path, menu === session.menu] as const
    )
  )

const footer = (page: Layout): Html => {
  const { messages, session } = page
  const account = session === undefined
    ? undefined
    : markup`<span class="any">${session.caller.service.name} · ${session.caller.branch.name}</span>
<form method="post" action="/app/sign-out"><input type="hidden" name="csrf" value="${session.formToken}"><button
class="quiet">${messages.signIn.signOut}</button></form>`
  return markup`<footer>${account}${languageLinks("/app", messages, page.path)}</footer>`
}

const head = markup`<meta name="theme-color" content="#0b6353">
<link rel="manifest" href="/app/manifest.webmanifest">
<link rel="icon" type="image/svg+xml" href="${icons[0].path}">
<link rel="apple-touch-icon" href="${icons[1].path}">
${[fontStyle, style, ...furtherStyles].map(({ path }) => markup`<link rel="stylesheet" href="${path}">`)}`

const header = (page: Layout): Html =>
  markup`<header class="top"><a class="brand" href="/app"><span class="mark" aria-hidden="true"></span>SlipTrail</a>${
    menuOf(page)
  }${page.isSandbox ? markup`<p class="banner sandbox">${page.messages.sandbox}</p>` : undefined}</header>`

/** Besides what all pages may do, these install a service worker and use the camera. */
const headers = {
  "content-security-policy": `${CONTENT_SECURITY_POLICY}; manifest-src 'self'; worker-src 'self'`,
  "permissions-policy": "camera=(self), microphone=(), geolocation=()"
}

/** Answers with a page of the shop. */
export const sendPage = (page: Layout, status: number, exchange: Exchange) =>
  sendHtml(
    documentOf({ ...page, head, script, data: { style: style.path }, header: header(page), footer: footer(page) }),
    status,
    { ...exchange, answerHeaders: { ...headers, ...exchange.answerHeaders } }
  )
