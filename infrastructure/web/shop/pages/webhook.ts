import { Effect } from "effect"
import { changeBranch, rotateWebhookSecret } from "../../../../application/provisioning/branches.ts"
import { Directory } from "../../../../application/provisioning/directory.ts"
import { WebhookRequest } from "../../api/requests/slips.ts"
import { checkCallbackUrl } from "../../http/v2/callback-url.ts"
import { decodeFields, invalid } from "../../input/decode.ts"
import { markup, redirect } from "../../pages/html.ts"
import { timeView } from "../../pages/times.ts"
import {
  actionForm,
  doneBanner,
  fieldView,
  overlapField,
  overlapIn,
  secretPage,
  settingsSubpage
} from "../components.ts"
import { formAction, requestIdsOf, scoped } from "../page-context.ts"

const PATH = "/app/settings/webhook"

/** The URL that receives callbacks, and the secret that signs them. */
export const webhookPage = scoped("configure", function* (context) {
  const { caller: { branchId }, messages: { settings } } = context
  const { webhook: text } = settings
  const branch = yield* (yield* Directory).branch(branchId)
  const value = branch?.webhookUrl ?? ""
  return settingsSubpage(context, {
    title: text.title,
    content: markup`${doneBanner(context)}<section class="card"><h2>${text.url}</h2><p>${text.about}</p>${
      value === "" ? markup`<p class="soft">${text.none}</p>` : undefined
    }${
      actionForm(
        context,
        PATH,
        fieldView(context, { name: "url", label: text.url, hint: text.urlHint, value, kind: "url" }),
        markup`<p><button class="primary">${settings.save}</button></p>`
      )
    }</section><section class="card"><h2>${text.secret}</h2><p>${text.secretAbout}</p>${
      actionForm(
        context,
        `${PATH}/secret`,
        overlapField(context, text.overlap, text.overlapHint),
        markup`<p><button>${text.rotate}</button></p>`
      )
    }</section>`
  })
})

const decodeWebhook = decodeFields(WebhookRequest)

/** Changes the URL; an empty one removes it. */
export const setWebhookAction = formAction("configure", webhookPage, function* (context) {
  const { caller: { branchId }, fields } = context
  const { url } = yield* decodeWebhook({ url: typeof fields["url"] === "string" ? fields["url"].trim() : null })
  yield* checkCallbackUrl(url, branchId).pipe(
    Effect.mapError(() => invalid({ path: "url", message: "Expected a public https URL" }))
  )
  yield* changeBranch(branchId, { webhookUrl: url }, requestIdsOf(context))
  return redirect(`${PATH}?done=webhookSaved`)
})

/** Makes a new secret, which is in this answer only. */
export const rotateSecretAction = formAction("configure", webhookPage, function* (context) {
  const { messages } = context
  const { webhook: text } = messages.settings
  const overlapSeconds = yield* overlapIn(context)
  const { previousExpiresAt, secret } = yield* rotateWebhookSecret(
    context.caller.branchId,
    requestIdsOf(context),
    overlapSeconds
  )
  return secretPage(context, {
    label: text.newSecret,
    secret,
    next: PATH,
    about: [[text.oldUntil, timeView(messages, previousExpiresAt)]]
  })
})
