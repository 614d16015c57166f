import { Effect } from "effect"
import { Directory } from "../../../application/provisioning/directory.ts"
import { makeSignInLink } from "../../../application/shop/sign-in-links.ts"
import { BranchNotFound } from "../../../domain/branch.ts"
import { DEFAULT_LINK_HOURS } from "../../../domain/sign-in-link.ts"
import { Identifiers } from "../../../ports/identifiers.ts"
import { publicOrigin, signInLinkUrl } from "../../http/public-url.ts"
import { type Fields, invalid } from "../../input/decode.ts"
import { keyFaults } from "../../input/key-requests.ts"
import { decodeSignInLink, formSentBefore } from "../../input/sign-in-link-request.ts"
import { facts } from "../../pages/elements.ts"
import { type Content, markup } from "../../pages/html.ts"
import { encodeQr, qrImageSource } from "../../pages/qr-code.ts"
import { timeView } from "../../pages/times.ts"
import { copyable } from "../components.ts"
import { orShowForm } from "../error-pages.ts"
import { actionForm, fieldView, issuesView } from "../forms.ts"
import { idOf, operationOf, type PageContext, type PageResult, pathTo } from "../page-context.ts"
import { scopeBoxes, scopesIn } from "./keys.ts"

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
        markup`<input type="hidden" name="formId" value="${(yield* Identifiers).random()}">`,
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

const linkInput = ({ name = "", validHours, ...boxes }: Fields): Fields => ({
  name,
  scopes: scopesIn(boxes),
  ...(validHours === undefined ? {} : { validHours: Number(validHours) })
})

/** Makes a link. It is in this answer only, as text and as a QR code that a phone scans. */
export const createSignInLink = (context: PageContext) =>
  orShowForm(
    context,
    newSignInLinkPage,
    Effect.gen(function* () {
      const { common, keys, secrets, signInLinks: text } = context.messages
      const branchId = idOf(context)
      const input = yield* decodeSignInLink(linkInput(context.fields))
      const { formId } = context.fields
      const { expiresAt, name, scopes, token } = yield* makeSignInLink(branchId, input, operationOf(context), {
        formId: typeof formId === "string" ? formId : undefined
      }).pipe(
        Effect.catchTag("ApiKeyRefused", (error) =>
          Effect.fail(error.reason === "asking-ended" ? error : invalid(keyFaults[error.reason]))),
        Effect.catchTag("SignInLinkMadeBefore", () =>
          Effect.fail(invalid(formSentBefore)))
      )
      const url = signInLinkUrl(yield* publicOrigin(context.exchange), token)
      const qr = qrImageSource(yield* Effect.promise(() => encodeQr(url)))
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
        }<p><img class="qr" src="${qr}" alt="${text.qr}" width="280" height="280"></p>
<p><a class="button primary" href="${pathTo("branches", branchId)}">${secrets.go}</a></p></section>`
      } satisfies PageResult
    })
  )
