import { type Content, type Html, markup } from "../http/html.ts"
import { renderDoor } from "./layout.ts"
import type { Words } from "./messages/en.ts"

/** A path that is longer was not written by a page of this site. */
const LONGEST_PATH = 2_048

const WRITTEN = /^\/console(?:[/?](?!\/)[\x21-\x7e]*)?$/u

/** Browsers go where a path leads once its `..` are taken out, however those are written. */
const staysInside = (path: string): boolean =>
  /^\/console(?:\/|$)/u.test(new URL(path, "http://console.invalid").pathname)

/** A path of this site, as it may be gone to after signing in; anything else is the first page. */
export const ownPath = (path: string | null): string => {
  const isOwn = path !== null && path.length <= LONGEST_PATH && WRITTEN.test(path) && !path.includes("\\")
    && staysInside(path)
  return isOwn ? path : "/console"
}

/** Where the token is asked for. */
export const renderLogin = (words: Words, to: string, trouble?: string): Html => {
  const { button, hint, title, token } = words.login
  const banner: Content = trouble === undefined ? undefined : markup`<p class="banner bad" role="alert">${trouble}</p>`
  return renderDoor({
    words,
    title,
    here: `/console/login?to=${encodeURIComponent(to)}`,
    content: markup`<form class="card login" method="post" action="/console/login"><h1>${title}</h1>${banner}
<input type="hidden" name="to" value="${to}">
<input type="text" name="username" value="ADMIN_TOKEN" autocomplete="username" hidden>
<p class="field"><label for="token">${token}</label>
<input id="token" name="token" type="password" required autocomplete="current-password"
aria-describedby="token-hint" autofocus></p>
<p class="hint" id="token-hint">${hint}</p>
<p><button class="primary">${button}</button></p></form>`
  })
}
