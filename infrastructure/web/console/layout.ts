import type { Operator } from "../../../application/operators/require-act.ts"
import type { Messages } from "./messages.ts"
import type { Menu } from "./page-context.ts"
import { readAsset } from "../pages/assets.ts"
import { thaiFont } from "../pages/fonts.ts"
import { languageLinks } from "../pages/language.ts"
import { documentOf, menuView } from "../pages/frame.ts"
import { type Content, exact, type Html, markup } from "../pages/html.ts"

const asset = (file: string, contentType: string) => readAsset("/console", new URL(file, import.meta.url), contentType)

const style = asset("browser/console.css", "text/css")
const plotStyle = asset("../pages/plots.css", "text/css")
const script = asset("browser/console.js", "text/javascript")
const font = thaiFont("/console")
const assets = [font.style, ...font.files, style, plotStyle, script]

/** The file at a path; undefined also for a file of another version. */
export const assetAt = (path: string) => assets.find((file) => file.path === path)

interface Layout {
  readonly messages: Messages
  readonly title: string
  readonly content: Content
  /** Path and query of the page, for the link to the other language. */
  readonly path: string
  /** Whether the sandbox bank is one of the gateways. */
  readonly isSandbox: boolean
}

interface SignedIn extends Layout {
  readonly menu: Menu | undefined
  readonly formToken: string
  /** The text in the search box. */
  readonly search: string
  readonly operator: Operator
}

const menuPaths: ReadonlyArray<readonly [Menu, string]> = [
  ["overview", "/console"],
  ["verifications", "/console/verifications"],
  ["jobs", "/console/jobs"],
  ["callbacks", "/console/callbacks"],
  ["services", "/console/services"],
  ["audit", "/console/audit"],
  ["projections", "/console/projections"],
  ["operators", "/console/operators"]
]

const brand = ({ console }: Messages): Html =>
  markup`<a class="brand" href="/console"><span class="mark" aria-hidden="true"></span>SlipTrail <span
class="soft">${console}</span></a>`

const head = [
  markup`<link rel="icon" href="data:,">`,
  ...[font.style, style, plotStyle].map(({ path }) =>
    markup`
<link rel="stylesheet" href="${path}">`
  )
]

const framed = ({ content, isSandbox, messages, title }: Layout, header: Html): Html =>
  documentOf({
    messages,
    title,
    head,
    script,
    data: { copied: messages.common.copied, unavailable: messages.errors.unavailable },
    header,
    content: [isSandbox ? markup`<p class="banner bad">${messages.sandbox}</p>` : undefined, content]
  })

/** A page for a browser without a session. */
export const renderSignedOut = (page: Layout): Html =>
  framed(
    page,
    markup`<header class="top">${brand(page.messages)}${languageLinks("/console", page.messages, page.path)}</header>`
  )

/** A page with the menu, the search box and the sign-out button. */
export const renderPage = (page: SignedIn): Html => {
  const { formToken, menu, messages, operator: { name, role }, search } = page
  const entries = menuPaths.map(([name, path]) => [messages.menu[name], path, name === menu] as const)
  return framed(
    page,
    markup`<header class="top">${brand(messages)}
<form class="search" role="search" action="/console/find"><label class="unseen" for="q">${messages.search.label}</label>
<input id="q" name="q" type="search" required maxlength="512" autocomplete="off" spellcheck="false"
placeholder="${messages.search.hint}" value="${exact(search)}">
<button>${messages.search.button}</button></form>
${menuView(messages.menu.label, entries)}
<div class="account"><span class="soft any">${name} · ${messages.operators.roles[role]}</span>${
      languageLinks("/console", messages, page.path)
    }<form method="post" action="/console/logout"><input
type="hidden" name="csrf" value="${formToken}"><button class="quiet">${messages.login.logout}</button></form></div>
</header>`
  )
}
