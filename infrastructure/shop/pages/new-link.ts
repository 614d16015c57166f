import { Effect } from "effect"
import { makeSignInLink } from "../../../application/shop/sign-in-links.ts"
import { DEFAULT_LINK_HOURS } from "../../../domain/sign-in-link.ts"
import { Identifiers } from "../../../ports/identifiers.ts"
import { publicOrigin, signInLinkUrl } from "../../http/public-url.ts"
import { type Fields, invalid } from "../../input/decode.ts"
import { keyFaults } from "../../input/key-requests.ts"
import { decodeSignInLink, formSentBefore } from "../../input/sign-in-link-request.ts"
import { markup } from "../../pages/html.ts"
import { encodeQr, qrImageSource } from "../../pages/qr-code.ts"
import { timeView } from "../../pages/times.ts"
import { backLink, choiceView, orShowForm, secretPage } from "../components.ts"
import { actionForm, fieldView } from "../forms.ts"
import { operationOf, type PageResult, pathTo, type ShopContext } from "../page-context.ts"
import { formIssues, KEYS_PATH, scopeBoxes, scopesIn, scopesText } from "./keys.ts"

/** The form for a link that signs another device of the branch in. */
export const newLinkPage = Effect.fnUntraced(function* (context: ShopContext) {
  const { fields, issues, messages: { settings: { keys, links: text } } } = context
  const isNew = issues.length === 0
  const { validHours } = fields
  return {
    _tag: "Page",
    title: text.create,
    menu: "settings",
    content: markup`${backLink(KEYS_PATH, keys.title)}<h1>${text.create}</h1><section class="card">${
      formIssues(context, "", formSentBefore.path)
    }<p>${text.about}</p>${
      actionForm(
        context,
        pathTo("settings", "keys", "sign-in-link"),
        markup`<input type="hidden" name="formId" value="${(yield* Identifiers).random()}">`,
        fieldView(context, { name: "name", label: keys.name, hint: text.nameHint, isRequired: true }),
        scopeBoxes(isNew ? { ...context, fields: { verify: "1" } } : context),
        choiceView(context, {
          name: "validHours",
          label: text.validHours,
          options: Object.entries(text.hours),
          value: typeof validHours === "string" ? validHours : String(DEFAULT_LINK_HOURS)
        }),
        markup`<p><button class="primary">${text.create}</button></p>`
      )
    }</section>`
  } satisfies PageResult
})

/** The form's fields as the admin API takes them. */
const linkInput = ({ name = "", validHours, ...boxes }: Fields): Fields => ({
  name,
  scopes: scopesIn(boxes),
  ...(validHours === undefined ? {} : { validHours: Number(validHours) })
})

/** Makes a link, which is in this answer only. Its key can do no more than the key of the session. */
export const createLinkAction = (context: ShopContext) =>
  orShowForm(
    context,
    newLinkPage,
    Effect.gen(function* () {
      const { caller: { branchId, key: asking }, exchange, fields: { formId }, messages } = context
      const { keys, links: text } = messages.settings
      const input = yield* decodeSignInLink(linkInput(context.fields))
      const { expiresAt, name, scopes, token } = yield* makeSignInLink(branchId, input, operationOf(context), {
        asking,
        formId: typeof formId === "string" ? formId : undefined
      }).pipe(
        Effect.catchTag("ApiKeyRefused", (error) =>
          Effect.fail(error.reason === "asking-ended" ? error : invalid(keyFaults[error.reason]))),
        Effect.catchTag("SignInLinkMadeBefore", () =>
          Effect.fail(invalid(formSentBefore)))
      )
      const url = signInLinkUrl(yield* publicOrigin(exchange), token)
      const qr = qrImageSource(yield* Effect.promise(() => encodeQr(url)))
      return secretPage(context, {
        label: text.title,
        lead: text.lead,
        secret: url,
        next: KEYS_PATH,
        about: [
          [keys.name, name],
          [keys.scopes, scopesText(context, scopes)],
          [text.validUntil, timeView(messages, expiresAt)]
        ],
        picture: markup`<p><img class="qr" src="${qr}" alt="${text.qr}" width="280" height="280"></p>`
      })
    })
  )
