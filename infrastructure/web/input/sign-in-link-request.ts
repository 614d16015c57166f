import { decodeFields, type Fields } from "./decode.ts"
import type { Issue } from "../api/failures.ts"
import { SignInLinkRequest } from "../api/requests/keys.ts"
import { scopesIn } from "./key-requests.ts"

const decodeSignInLink = decodeFields(SignInLinkRequest)

/** Decodes a form with a box for each scope. */
export const decodeSignInLinkForm = ({ name = "", validHours, ...boxes }: Fields) =>
  decodeSignInLink({
    name,
    scopes: scopesIn(boxes),
    ...(validHours === undefined ? {} : { validHours: Number(validHours) })
  })

/** The fault of a form that was sent before. */
export const formSentBefore: Issue = {
  path: "formId",
  message: "This form was sent before: its link was shown then, and is not shown again"
}
