import { Effect } from "effect"
import { Directory } from "../../../application/provisioning/directory.ts"
import { BranchNotFound } from "../../../domain/branch.ts"
import { DEFAULT_LINK_HOURS } from "../../../domain/sign-in-link.ts"
import { formSentBefore } from "../../input/sign-in-link-request.ts"
import { facts } from "../../pages/elements.ts"
import { type Content, markup } from "../../pages/html.ts"
import { formIdInput, linkPicture, makeLinkOfForm } from "../../http/sign-in-link-form.ts"
import { timeView } from "../../pages/times.ts"
import { copyable } from "../components.ts"
import { orShowForm } from "../../pages/forms.ts"
import { actionForm, fieldView, issuesView } from "../forms.ts"
import { idOf, operationOf, type PageContext, type PageResult, pathTo } from "../page-context.ts"
import { scopeBoxes } from "./keys.ts"

/** The form was sent before, and its link was shown then. */
const sentBefore = ({ issues, messages }: PageContext): Content =>
  issues.some(({ path }) => path === formSentBefore.path)
    ? markup`<p class="banner bad" role="alert">${messages.signInLinks.sentBefore}</p>`
    : undefined

/** The form for a link that signs a device of a branch in to the shop's page. */
export const newSignInLinkPage = Effect.fnUntraced(function* (context: PageContext) {
  const branch = yield* (yield* Directory).branch(idOf(context))
  if (branch === undefined) return yield* new BranchNotFound()
  const { common, signInLinks: text } = context.messages
  const isNew = context.issues.length === 0
  const withVerify = isNew ? { ...context, fields: { verify: "1" } } : context
  return {
    _tag: "Page",
    title: text.create,
    menu: "services",
    content: markup`<h1>${text.create}</h1><p><a href="${pathTo("branches", branch.id)}">${branch.name}</a></p>
<section class="card form"><p class="hint">${text.hint}</p>${
      actionForm(
        context,
        pathTo("branches", branch.id, "new-sign-in-link"),
        yield* formIdInput,
        sentBefore(context) ?? issuesView(context, ["name", "scopes", "validHours"]),
        fieldView(context, { name: "name", label: common.name, hint: text.nameHint, isRequired: true }),
        scopeBoxes(withVerify),
        fieldView(context, {
          name: "validHours",
          label: text.validHours,
          hint: text.validHint,
          value: String(DEFAULT_LINK_HOURS),
          kind: "number"
        }),
        markup`<p><button class="primary">${text.create}</button></p>`
      )
    }</section>`
  } satisfies PageResult
})

/** Makes a link. It is in this answer only, as text and as a QR code that a phone scans. */
export const createSignInLink = (context: PageContext) =>
  orShowForm(
    context,
    newSignInLinkPage,
    Effect.gen(function* () {
      const { common, keys, secrets, signInLinks: text } = context.messages
      const branchId = idOf(context)
      const { expiresAt, name, qr, scopes, url } = yield* makeLinkOfForm({
        branchId,
        exchange: context.exchange,
        fields: context.fields,
        operation: operationOf(context)
      })
      return {
        _tag: "Page",
        title: text.title,
        menu: "services",
        content: markup`<h1>${text.title}</h1><section class="card secrets">
<p class="banner good" role="status">${text.lead}</p>${
          facts([
            [common.name, name],
            [keys.scopes, scopes.join(", ")],
            [text.validUntil, timeView(context.messages, expiresAt)],
            [text.link, copyable(context, url)]
          ])
        }${linkPicture(qr, text.qr)}
<p><a class="button primary" href="${pathTo("branches", branchId)}">${secrets.go}</a></p></section>`
      } satisfies PageResult
    })
  )
