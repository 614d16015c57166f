import { type Content, exact, type Html, markup, raw } from "../pages/html.ts"
import { renderSignedOut } from "./layout.ts"
import type { Messages } from "./messages.ts"

interface LoginPage {
  /** The path to go to after signing in. */
  readonly to: string
  readonly isSandbox: boolean
  /** Whether there is no operator yet, and no other way to sign in. */
  readonly isFirst: boolean
  /** The host of the OpenID Connect provider, if there is one. */
  readonly providerHost: string | undefined
  readonly error?: string | undefined
}

/** The link that begins the sign-in at the OpenID Connect provider. */
const providerLink = ({ login }: Messages, to: string, host: string): Html =>
  markup`<p class="field"><a class="button primary" href="/console/login/oidc?to=${encodeURIComponent(to)}">${
    login.atProvider(host)
  }</a></p><p class="or soft">${login.or}</p>`

/** The sign-in page. With a provider its link comes first, and the form for tokens follows. */
export const renderLogin = (
  messages: Messages,
  { error, isFirst, isSandbox, providerHost, to }: LoginPage
): Html => {
  const { button, first, hint, title, token } = messages.login
  const isTokenOnly = providerHost === undefined
  const banner: Content = error === undefined ? undefined : markup`<p class="banner bad" role="alert">${error}</p>`
  const firstHint: Content = isFirst ? markup`<p class="banner" role="status">${first}</p>` : undefined
  return renderSignedOut({
    messages,
    title,
    isSandbox,
    path: `/console/login?to=${encodeURIComponent(to)}`,
    content:
      markup`<form class="card login" method="post" action="/console/login"><h1>${title}</h1>${firstHint}${banner}${
        isTokenOnly ? undefined : providerLink(messages, to, providerHost)
      }
<input type="hidden" name="to" value="${exact(to)}">
<input type="text" name="username" value="SlipTrail" autocomplete="username" hidden>
<p class="field"><label for="token">${token}</label>
<input id="token" name="token" type="password" required autocomplete="current-password"
aria-describedby="token-hint"${isTokenOnly ? raw(" autofocus") : undefined}></p>
<p class="hint" id="token-hint">${hint}</p>
<p><button${isTokenOnly ? raw(' class="primary"') : undefined}>${button}</button></p></form>`
  })
}

/** The page after a sign-in at the provider, which leads to `to` by itself (infrastructure/web/console/oidc/sign-in.ts). */
export const renderSignedIn = (
  messages: Messages,
  { isSandbox, name, to }: Pick<LoginPage, "isSandbox" | "to"> & { readonly name: string }
): Html =>
  renderSignedOut({
    messages,
    title: messages.login.done,
    isSandbox,
    path: to,
    content: markup`<div class="card login"><h1>${messages.login.done}</h1><p class="any">${name}</p>
<p><a class="button primary" href="${to}">${messages.login.continue}</a></p></div>`
  })
