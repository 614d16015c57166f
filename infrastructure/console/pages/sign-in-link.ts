import { Effect } from "effect"
import { Directory } from "../../../application/provisioning/directory.ts"
import { makeSignInLink } from "../../../application/shop/sign-in-links.ts"
import { BranchNotFound } from "../../../domain/branch.ts"
import { publicOrigin } from "../../http/public-url.ts"
import { decodeSignInLink } from "../../input/sign-in-link-request.ts"
import type { Fields } from "../../input/decode.ts"
import { facts } from "../../pages/elements.ts"
import { markup } from "../../pages/html.ts"
import { encodeQr, qrImageSource } from "../../pages/qr-code.ts"
import { timeView } from "../../pages/times.ts"
import { copyable } from "../components.ts"
import { orShowForm } from "../error-pages.ts"
import { actionForm, fieldView, issuesView } from "../forms.ts"
import { idOf, operationOf, type PageContext, type PageResult, pathTo } from "../page-context.ts"
import { scopeBoxes, scopesIn } from "./keys.ts"

const DEFAULT_HOURS = 24

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
        issuesView(context, ["name", "scopes", "validHours"]),
        fieldView(context, { name: "name", label: common.name, hint: text.nameHint, isRequired: true }),
        scopeBoxes(withVerify),
        fieldView(context, {
          name: "validHours",
          label: text.validHours,
          hint: text.validHint,
          value: String(DEFAULT_HOURS),
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
  validHours: validHours === undefined ? DEFAULT_HOURS : Number(validHours)
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
      const { expiresAt, name, scopes, token } = yield* Effect.catchTag(
        makeSignInLink(branchId, input, operationOf(context)),
        "ApiKeyRefused",
        Effect.die
      )
      const url = `${yield* publicOrigin(context.exchange)}/app/link/${token}`
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
