import { type Content, markup } from "../http/html.ts"
import { copyable, facts } from "./parts.ts"
import type { Page, Visit } from "./page-context.ts"

/** A key or a secret, which nobody can show a second time. `next` is where to go on. */
export const secretsPage = (
  visit: Visit,
  next: string,
  about: Content,
  { apiKey, webhookSecret }: { readonly apiKey?: string; readonly webhookSecret?: string }
): Page => {
  const { secrets } = visit.words
  return {
    _tag: "Page",
    title: secrets.title,
    menu: "services",
    content:
      markup`<h1>${secrets.title}</h1><section class="card secrets"><p class="banner good" role="status">${secrets.lead}</p>${about}${
        facts([
          ...(apiKey === undefined ? [] : [[secrets.apiKey, copyable(visit, apiKey)] as const]),
          ...(webhookSecret === undefined ? [] : [[secrets.webhookSecret, copyable(visit, webhookSecret)] as const])
        ])
      }<p><a class="button primary" href="${next}">${secrets.go}</a></p></section>`
  }
}
