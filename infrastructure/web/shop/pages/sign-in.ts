import { type Content, exact, markup } from "../../pages/html.ts"
import type { Messages } from "../messages.ts"

interface SignInPage {
  /** The path to go to after signing in. */
  readonly to: string
  readonly error: string | undefined
}

/** The form that exchanges an API key for a session. */
export const signInPage = ({ signIn }: Messages, { error, to }: SignInPage) => {
  const banner: Content = error === undefined ? undefined : markup`<p class="banner bad" role="alert">${error}</p>`
  return {
    title: signIn.title,
    content: markup`<form class="card narrow" method="post" action="/app/sign-in"><h1>${signIn.title}</h1>${banner}
<input type="hidden" name="to" value="${exact(to)}">
<input type="text" name="username" value="SlipTrail" autocomplete="username" hidden>
<div class="field"><label for="key">${signIn.key}</label>
<input id="key" name="key" type="password" required autocomplete="current-password" spellcheck="false"
aria-describedby="key-hint" autofocus>
<p class="hint" id="key-hint">${signIn.hint}</p></div>
<p><button class="primary wide">${signIn.button}</button></p>
<p class="hint">${signIn.linkHint}</p></form>`
  }
}
