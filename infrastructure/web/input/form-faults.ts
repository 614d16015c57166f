import type { BankAccountsFull } from "../../../application/bank-accounts/account-limit.ts"
import type { FieldsRefused } from "../../../domain/bank-account/fields.ts"
import type { ApiKeyRefused } from "../../../domain/branch-keys.ts"
import type { OperatorNameTaken } from "../../../domain/operators.ts"
import type { Issue } from "../api/failures.ts"
import { fieldFault, tooManyAccounts } from "./bank-account-requests.ts"
import type { InvalidInput } from "./decode.ts"
import { keyFaults } from "./key-requests.ts"

type Rejection = InvalidInput | FieldsRefused | BankAccountsFull | ApiKeyRefused | OperatorNameTaken
type ByTag = { readonly [One in Rejection as One["_tag"]]: One }

/** The faults of a form that was rejected. Pages find the text in their language by the path. */
const rows: { readonly [Tag in keyof ByTag]: (rejection: ByTag[Tag]) => ReadonlyArray<Issue> | undefined } = {
  InvalidInput: ({ issues }) => issues,
  BankRefused: (refused) => fieldFault(refused).issues,
  BankNumberRefused: (refused) => fieldFault(refused).issues,
  BankAccountsFull: () => [{ ...tooManyAccounts, path: "accounts" }],
  // When the key that asks has ended, no field is at fault.
  ApiKeyRefused: ({ reason }) => reason === "asking-ended" ? undefined : [keyFaults[reason]],
  OperatorNameTaken: () => [{ path: "operatorTaken", message: "Another operator has this name" }]
}

const isRejection = (failure: { readonly _tag: string }): failure is Rejection => Object.hasOwn(rows, failure._tag)

const faultsBy = <Tag extends keyof ByTag>(tag: Tag, rejection: ByTag[Tag]) => {
  const row: (rejection: ByTag[Tag]) => ReadonlyArray<Issue> | undefined = rows[tag]
  return row(rejection)
}

/** What a form must correct; undefined for a failure of another kind. */
export const faultsOf = (failure: { readonly _tag: string }): ReadonlyArray<Issue> | undefined =>
  isRejection(failure) ? faultsBy(failure._tag, failure) : undefined
