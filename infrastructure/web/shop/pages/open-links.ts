import { Clock, Effect } from "effect"
import { listSignInLinks, withdrawSignInLink } from "../../../../application/shop/sign-in-links.ts"
import type { SignInLinkView } from "../../../../application/views/keys.ts"
import { type Html, markup, redirect } from "../../pages/html.ts"
import { MAX_KEYS_SHOWN } from "../../pages/key-state.ts"
import { timeView } from "../../pages/times.ts"
import { actionForm, KEYS_PATH, scopesText } from "../components.ts"
import { pathTo, requestIdsOf, scoped, type ShopContext } from "../page-context.ts"

const linkView = (context: ShopContext, { expiresAt, id, name, scopes }: SignInLinkView, now: number): Html => {
  const { messages } = context
  const { keys, links: text } = messages.settings
  const withdraw = actionForm(
    context,
    pathTo("settings", "keys", "sign-in-link", id, "withdraw"),
    markup`<button aria-label="${text.withdraw}: ${name}">${text.withdraw}</button>`
  )
  return markup`<li><p class="line"><b class="any">${name}</b></p><p>${keys.scopes}: ${
    scopesText(context, scopes)
  }</p><p class="hint">${text.validUntil}: ${
    timeView({ locale: messages.locale, now }, expiresAt)
  }</p><div class="row">${withdraw}</div></li>`
}

/** The links of the branch that no device has redeemed, each with a button that ends it. */
export const openLinksView = Effect.fnUntraced(function* (context: ShopContext) {
  const { links: text } = context.messages.settings
  const { items, nextCursor } = yield* listSignInLinks(context.caller.branchId, { limit: MAX_KEYS_SHOWN })
  if (items.length === 0 && nextCursor === null) return undefined
  const now = yield* Clock.currentTimeMillis
  return markup`<section class="card"><h2>${text.open}</h2><p>${text.openAbout}</p><ul class="rows">${
    items.map((link) => linkView(context, link, now))
  }</ul>${nextCursor === null ? undefined : markup`<p class="hint">${text.more}</p>`}</section>`
})

/** Withdraws a link of the branch. */
export const withdrawLinkAction = scoped("configure", function* (context) {
  const { caller: { branchId }, params: [id = ""] } = context
  yield* withdrawSignInLink(branchId, id.toLowerCase(), requestIdsOf(context))
  return redirect(`${KEYS_PATH}?done=linkWithdrawn`)
})
