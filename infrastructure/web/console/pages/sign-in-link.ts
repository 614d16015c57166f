import { Effect } from "effect"
import { listSignInLinks } from "../../../../application/shop/sign-in-links.ts"
import type { SignInLinkView } from "../../../../application/views/keys.ts"
import { DEFAULT_LINK_HOURS } from "../../../../domain/sign-in-link.ts"
import { formSentBefore } from "../../input/sign-in-link-request.ts"
import { type Column, type Content, facts, listTable, markup, pageTitled } from "../../pages/html.ts"
import { formIdInput, linkPicture, makeLinkOfForm } from "../../http/sites/sign-in-link-form.ts"
import { timeView } from "../../pages/times.ts"
import { action, done, formAction } from "../action.ts"
import { copyable } from "../components.ts"
import { confirmedAction, fieldView, formPage, issuesView } from "../forms.ts"
import { MAX_KEYS_SHOWN } from "../../pages/key-state.ts"
import { branchOf, idOf, type PageContext, pathTo, requestIdsOf } from "../page-context.ts"
import { scopeBoxes } from "./keys.ts"

const withdrawPath = (branchId: string, id: string): string =>
  pathTo("branches", branchId, "sign-in-links", id, "withdraw")

const columnsOf = (context: PageContext, branchId: string): ReadonlyArray<Column<SignInLinkView>> => {
  const { common, keys, signInLinks: text } = context.messages
  const withdraw = ({ id }: SignInLinkView): Content =>
    confirmedAction(context, { label: text.withdraw, hint: text.withdrawHint, action: withdrawPath(branchId, id) })
  return [
    [common.name, ({ id, name }) => markup`<span class="any">${name}</span><br><code class="any">${id}</code>`],
    [keys.scopes, ({ scopes }) => scopes.join(", ")],
    [text.validUntil, ({ expiresAt }) => timeView(context.messages, expiresAt)],
    [
      text.madeBy,
      ({ madeByKey, operator }) => markup`<span class="any">${operator ?? text.byKey(madeByKey ?? "")}</span>`
    ],
    ...(context.may(withdrawPath(branchId, "id")) ? [[keys.actions, withdraw] as const] : [])
  ]
}

/** The links of a branch that can still be redeemed. A role that may make links may withdraw them. */
export const openLinksSection = Effect.fnUntraced(function* (context: PageContext, branchId: string) {
  const { signInLinks: text } = context.messages
  const { items, nextCursor } = yield* listSignInLinks(branchId, { limit: MAX_KEYS_SHOWN })
  return markup`<section class="card"><h2>${text.open}</h2><p class="hint">${text.openHint}</p>${
    listTable(text.open, items, columnsOf(context, branchId), text.none)
  }${nextCursor === null ? undefined : markup`<p class="hint">${text.more}</p>`}</section>`
})

/** The form was sent before, and its link was shown then. */
const sentBefore = ({ issues, messages }: PageContext): Content =>
  issues.some(({ path }) => path === formSentBefore.path)
    ? markup`<p class="banner bad" role="alert">${messages.signInLinks.sentBefore}</p>`
    : undefined

/** The form for a link that signs a device of a branch in to the shop's page. */
export const newSignInLinkPage = Effect.fnUntraced(function* (context: PageContext) {
  const branch = yield* branchOf(context)
  const formId = yield* formIdInput
  const { common, signInLinks: text } = context.messages
  const isNew = context.issues.length === 0
  const withVerify = isNew ? { ...context, fields: { verify: "1" } } : context
  return formPage(context, text.create, {
    above: [pathTo("branches", branch.id), branch.name],
    hint: markup`<p class="hint">${text.hint}</p>`,
    action: pathTo("branches", branch.id, "new-sign-in-link"),
    fields: [
      formId,
      sentBefore(context) ?? issuesView(context, ["name", "scopes", "validHours"]),
      fieldView(context, { name: "name", label: common.name, hint: text.nameHint, isRequired: true }),
      scopeBoxes(withVerify),
      fieldView(context, {
        name: "validHours",
        label: text.validHours,
        hint: text.validHint,
        value: String(DEFAULT_LINK_HOURS),
        kind: "number"
      })
    ]
  })
})

/** Makes a link. It is in this answer only, as text and as a QR code that a phone scans. */
const create = Effect.fnUntraced(function* (context: PageContext) {
  const { exchange, fields, messages } = context
  const { common, keys, secrets, signInLinks: text } = messages
  const branchId = idOf(context)
  const made = yield* makeLinkOfForm({ branchId, exchange, fields, ids: requestIdsOf(context) })
  return pageTitled(text.title, "services")`<h1>${text.title}</h1><section class="card secrets">
<p class="banner good" role="status">${text.lead}</p>${
    facts([
      [common.name, made.name],
      [keys.scopes, made.scopes.join(", ")],
      [text.validUntil, timeView(messages, made.expiresAt)],
      [text.link, copyable(context, made.url)]
    ])
  }${linkPicture(made.qr, text.qr)}
<p><a class="button primary" href="${pathTo("branches", branchId)}">${secrets.go}</a></p></section>`
})

/** The form has an id: sending it twice makes one link. */
export const signInLinkActions = {
  "branches/:/new-sign-in-link": formAction("createSignInLink", create, { page: newSignInLinkPage }),
  "branches/:/sign-in-links/:/withdraw": action("withdrawSignInLink", { show: done("linkWithdrawn") })
}
