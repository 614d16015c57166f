import { type Content, markup } from "../../pages/html.ts"
import type { Messages } from "../messages.ts"

interface LinkPage {
  readonly token: string
  readonly error: string | undefined
}

/** The button that redeems a sign-in link. Opening the page redeems nothing: previews of links open it too. */
export const linkPage = ({ link }: Messages, { error, token }: LinkPage) => {
  const banner: Content = error === undefined ? undefined : markup`<p class="banner bad" role="alert">${error}</p>`
  return {
    title: link.title,
    content: markup`<form class="card narrow" method="post" action="/app/link/${
      encodeURIComponent(token)
    }"><h1>${link.title}</h1>${banner}<p>${link.text}</p><p><button class="primary wide">${link.button}</button></p></form>`
  }
}
