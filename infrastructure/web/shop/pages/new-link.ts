import { DEFAULT_LINK_HOURS } from "../../../../domain/sign-in-link.ts"
import { formSentBefore } from "../../input/sign-in-link-request.ts"
import { markup } from "../../pages/html.ts"
import { formIdInput, linkPicture, makeLinkOfForm } from "../../http/sites/sign-in-link-form.ts"
import { timeView } from "../../pages/times.ts"
import { actionForm, fieldView, KEYS_PATH, scopesText, secretPage, settingsSubpage } from "../components.ts"
import { formAction, pathTo, requestIdsOf, scoped } from "../page-context.ts"
import { formIssues, scopeBoxes } from "./keys.ts"

/** The form for a link that signs another device of the branch in. */
export const newLinkPage = scoped("configure", function* (context) {
  const { fields, issues, messages: { settings: { keys, links: text } } } = context
  const isNew = issues.length === 0
  const formId = yield* formIdInput
  return settingsSubpage(context, {
    title: text.create,
    above: [KEYS_PATH, keys.title],
    content: markup`<section class="card">${formIssues(context, "", formSentBefore.path)}<p>${text.about}</p>${
      actionForm(
        context,
        pathTo("settings", "keys", "sign-in-link"),
        formId,
        fieldView(context, { name: "name", label: keys.name, hint: text.nameHint, isRequired: true }),
        scopeBoxes(isNew ? { ...context, fields: { verify: "1" } } : context),
        fieldView({ ...context, fields: { validHours: String(DEFAULT_LINK_HOURS), ...fields } }, {
          name: "validHours",
          label: text.validHours,
          options: Object.entries(text.hours),
          value: String(DEFAULT_LINK_HOURS)
        }),
        markup`<p><button class="primary">${text.create}</button></p>`
      )
    }</section>`
  })
})

/** Makes a link, which is in this answer only. Its key can do no more than the key of the session. */
export const createLinkAction = formAction("configure", newLinkPage, function* (context) {
  const { caller: { branchId, key: asking }, exchange, fields, messages } = context
  const { keys, links: text } = messages.settings
  const { expiresAt, name, qr, scopes, url } = yield* makeLinkOfForm({
    branchId,
    exchange,
    fields,
    ids: requestIdsOf(context),
    asking
  })
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
    picture: linkPicture(qr, text.qr)
  })
})
