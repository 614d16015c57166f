import { Effect } from "effect"
import { payloadSource, type SlipSource } from "../../../../application/verification/slip-source.ts"
import { parseId } from "../../../../domain/ids.ts"
import { Identifiers } from "../../../../ports/identifiers.ts"
import type { Failure } from "../../http/operations/application-failures.ts"
import { fromFile } from "../../http/operations/slip-image.ts"
import { type Fields, invalid } from "../../input/decode.ts"
import { type Content, exact, markup, pageTitled, raw, redirect } from "../../pages/html.ts"
import { expectedAmountIn } from "../amounts.ts"
import { cameraScripts } from "../assets.ts"
import { checkSlip } from "../check-slip.ts"
import { issueText } from "../error-pages.ts"
import { formAction, type Page, type PageResult, pathTo, scoped, type ShopContext } from "../page-context.ts"
import { verdictPage } from "../verdict-view.ts"
import { verdictOf, verdictOfFailure, verdictOfPendingWallet } from "../verdict.ts"
import { withQuery } from "../../pages/paths.ts"

/** The longest amount that a form fills in again. */
const MAX_AMOUNT_LENGTH = 20

const textIn = (fields: Fields, name: string): string | undefined => {
  const value = fields[name]
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined
}

const amountField = ({ fields, issues, messages, query }: ShopContext): Content => {
  const { check } = messages
  const value = (textIn(fields, "amount") ?? query.get("amount") ?? "").slice(0, MAX_AMOUNT_LENGTH)
  const isKept = query.has("amount") || fields["keep"] !== undefined
  const issue = issues.find(({ path }) => path === "amount")
  return markup`<div class="field"><label for="amount">${check.amount}</label>
<div class="money"><input id="amount" name="amount" inputmode="decimal" autocomplete="off" maxlength="20"
placeholder="${check.amountExample}" value="${exact(value)}"${
    raw(issue === undefined ? "" : ' aria-invalid="true" aria-describedby="amount-error"')
  }><span aria-hidden="true">฿</span></div>${
    issue === undefined ? undefined : markup`<p class="error" id="amount-error">${issueText(messages, issue)}</p>`
  }<label class="choice"><input type="checkbox" name="keep" value="yes"${
    raw(isKept ? " checked" : "")
  }> ${check.keep}</label></div>`
}

const banner = ({ issues, messages }: ShopContext): Content =>
  issues.filter(({ path }) => path !== "amount").map((issue) =>
    markup`<p class="banner bad" role="alert">${issueText(messages, issue)}</p>`
  )

/** The page on which a clerk checks a slip. */
export const checkPage = scoped("verify", function* (context) {
  const { formToken, messages: { check } } = context
  const formId = (yield* Identifiers).random()
  const page: Page = pageTitled(
    check.title,
    "check"
  )`<form id="check" class="check" method="post" action="/app" enctype="multipart/form-data"
data-camera="${cameraScripts.camera.path}" data-reader="${cameraScripts.reader.path}"
data-checking="${check.checking}" data-not-a-slip="${check.notASlipQr}" data-looking="${check.looking}"
data-no-camera="${check.noCamera}">
<h1>${check.title}</h1>${banner(context)}
<input type="hidden" name="csrf" value="${formToken}"><input type="hidden" name="form" value="${formId}">
${amountField(context)}
<div class="drop" id="drop">
<button type="button" class="primary huge" id="scan" hidden>${check.scan}</button>
<div class="source"><label class="button huge" for="photo" id="photo-label">${check.photo}</label>
<input type="file" id="photo" name="photo" accept="image/*" capture="environment"></div>
<div class="source"><label class="button huge" for="picture">${check.picture}</label>
<input type="file" id="picture" name="picture" accept="image/*"></div>
<p class="hint" id="drop-hint" hidden>${check.drop}</p></div>
<details id="paste"><summary>${check.paste}</summary><div class="field"><label for="payload">${check.payload}</label>
<textarea id="payload" name="payload" rows="3" maxlength="512" spellcheck="false" autocomplete="off"></textarea></div></details>
<p><button class="primary wide" id="send">${check.button}</button></p>
<p class="status" id="status" role="status"></p></form>
<dialog id="camera" aria-labelledby="camera-title"><h2 id="camera-title">${check.scan}</h2>
<video id="video" playsinline muted></video><p id="camera-status" role="status">${check.looking}</p>
<p class="row"><button type="button" class="primary" id="shoot">${check.shoot}</button>
<button type="button" id="cancel">${check.cancel}</button></p></dialog>`
  return page
})

/** The slip of the form: a photo, a picture, or the text of the QR code. */
const sourceIn = (fields: Fields): Effect.Effect<SlipSource, Failure> => {
  const pictures = [fields["photo"], fields["picture"]].filter((value) => value instanceof Uint8Array)
  const payload = textIn(fields, "payload")
  const [picture] = pictures
  const given = pictures.length + (payload === undefined ? 0 : 1)
  if (given === 0) return Effect.fail(invalid({ path: "slip", message: "Give a picture or the text of the QR code" }))
  if (given > 1) return Effect.fail(invalid({ path: "slips", message: "Give one slip at a time" }))
  if (picture !== undefined) return fromFile("slip", picture)
  return Effect.succeed(payloadSource(payload ?? ""))
}

/** Verifies the slip of the form, and shows the verdict. A form that is not complete is shown again. */
export const checkAction = formAction("verify", checkPage, function* (context) {
  const { fields } = context
  const amount = textIn(fields, "amount")?.slice(0, MAX_AMOUNT_LENGTH)
  const keptAmount = fields["keep"] === undefined ? undefined : amount
  const expectedAmount = yield* expectedAmountIn(fields)
  const source = yield* sourceIn(fields)
  const formId = parseId(textIn(fields, "form") ?? "") ?? (yield* Identifiers).random()
  return yield* checkSlip(context, { source, expectedAmount, formId }).pipe(
    Effect.map((checked): PageResult => {
      if (checked._tag === "Later") return redirect(withQuery(pathTo("jobs", checked.jobId), { amount: keptAmount }))
      const verdict = checked._tag === "Verified"
        ? verdictOf(checked.verification)
        : verdictOfPendingWallet(checked.failure, amount)
      return verdictPage(context, verdict, keptAmount)
    }),
    Effect.catch((failure: Failure) => {
      const verdict = verdictOfFailure(failure)
      return verdict === undefined ? Effect.fail(failure) : Effect.succeed(verdictPage(context, verdict, keptAmount))
    })
  )
})
