import { Effect } from "effect"
import type { CallerKey } from "../../../../application/provisioning/callers.ts"
import type { RequestIds } from "../../../../application/events/handle-command.ts"
import { makeSignInLink } from "../../../../application/shop/sign-in-links.ts"
import { Identifiers } from "../../../../ports/identifiers.ts"
import type { Exchange } from "../server/endpoint.ts"
import { signInLinkUrl } from "../../operators/sign-in-link-url.ts"
import { publicOrigin } from "../server/public-url.ts"
import { type Fields, invalid } from "../../input/decode.ts"
import { decodeSignInLinkForm, formSentBefore } from "../../input/sign-in-link-request.ts"
import { type Html, markup } from "../../pages/html.ts"
import { encodeQr, qrImageSource } from "../../../platform/qr-code.ts"

/** Gives a form an id: sending the form twice makes one link. */
export const formIdInput = Effect.map(
  Identifiers,
  ({ random }): Html => markup`<input type="hidden" name="formId" value="${random()}">`
)

interface LinkForm {
  readonly branchId: string
  readonly exchange: Exchange
  readonly fields: Fields
  readonly ids: RequestIds
  /** The key that asks. Undefined for an operator. */
  readonly asking?: CallerKey
}

/** Makes the link that a form asks for. Fails with `InvalidInput` when a field is not valid, or when the form was sent before. */
export const makeLinkOfForm = Effect.fnUntraced(function* ({ branchId, exchange, fields, ids, ...by }: LinkForm) {
  const { formId } = fields
  const link = yield* makeSignInLink(branchId, yield* decodeSignInLinkForm(fields), ids, {
    ...by,
    formId: typeof formId === "string" ? formId : undefined
  }).pipe(Effect.catchTag("SignInLinkMadeBefore", () => Effect.fail(invalid(formSentBefore))))
  const url = signInLinkUrl(yield* publicOrigin(exchange), link.token)
  return { ...link, url, qr: qrImageSource(yield* Effect.promise(() => encodeQr(url))) }
})

/** The QR code of a link, which a phone scans. */
export const linkPicture = (qr: string, alt: string): Html =>
  markup`<p><img class="qr" src="${qr}" alt="${alt}" width="280" height="280"></p>`
