import { Effect } from "effect"
import { newSlip } from "../support/client.ts"
import { RunningService } from "../support/service.ts"
import { given, type Provocation, situations } from "./situations.ts"

const at = situations("/v2/verify/bank")

const request = (method: string, path: string, body?: unknown): Provocation =>
  Effect.flatMap(given(), ({ call, key }) => call(method, path, { key, body }))

const account = { bankCode: "004", bankNumber: "012-3-45678-9", nameTh: "นาย สมชาย ใจดี" }

/** Calls that lead to each row of docs/spec/http.md, "v2 codes". The key has the message if a code has several. */
export const v2Provocations: Readonly<Record<string, ReadonlyArray<Provocation>>> = {
  MISSING_API_KEY: [at.noKey],
  INVALID_API_KEY: [at.unknownKey],
  BRANCH_INACTIVE: [at.branchInactive],
  SERVICE_BANNED: [at.serviceBanned],
  SERVICE_DELETED: [at.serviceDeleted],
  IP_NOT_ALLOWED: [at.addressNotListed],
  QUOTA_EXCEEDED: [at.quotaUsedUp],
  USER_BANNED: [at.accountBanned],
  VALIDATION_ERROR: [at.noSource, at.noJson],
  URL_PROTOCOL_NOT_ALLOWED: [at.urlOfAnotherScheme],
  URL_INVALID_IP_RANGE: [at.urlOfPrivateAddress],
  IMAGE_URL_UNREACHABLE: [at.urlUnreachable],
  IMAGE_SIZE_TOO_LARGE: [at.imageTooLarge],
  INVALID_IMAGE_TYPE: [at.urlOfPage],
  INVALID_IMAGE_FORMAT: [at.notAnImage],
  INVALID_BANK_CODE: [at.verify({ payload: "a", bankCode: "999" })],
  "INVALID_EXTRA_VERIFY: extraVerify is not valid for this bank": [
    at.verify({ payload: "a", bankCode: "002", extraVerify: "MSISDN" }),
    at.verify({ payload: "a", bankCode: "004", extraVerify: "NAME" })
  ],
  "INVALID_EXTRA_VERIFY: extraVerify is required for this bank": [at.verify({ payload: "a", bankCode: "002" })],
  INVALID_CALLBACK_URL: [
    Effect.suspend(() =>
      request("POST", "/v2/verify/bank/async", { payload: newSlip().payload, callbackUrl: "http://shop.example/told" })
    )
  ],
  SLIP_NOT_FOUND: [at.slipNotFound, at.slipOfNoBank, at.notASlip, at.imageWithoutQr, at.imageOfOtherQr],
  SLIP_PENDING: [at.slipPending],
  BANK_ACCOUNT_NOT_FOUND: [request("GET", "/v2/bank-accounts/0f8fad5b-d9cb-4f69-a165-70867728950e")],
  JOB_NOT_FOUND: [request("GET", "/v2/verify/bank/jobs/0f8fad5b-d9cb-4f69-a165-70867728950e")],
  NOT_FOUND: [
    Effect.flatMap(RunningService, ({ call }) => call("GET", "/v2/nothing")),
    request("PUT", "/v2/verify/bank")
  ],
  BANK_ACCOUNT_DUPLICATE: [
    Effect.gen(function* () {
      const { call, key } = yield* given()
      yield* call("POST", "/v2/bank-accounts", { key, body: account })
      return yield* call("POST", "/v2/bank-accounts", { key, body: { ...account, bankNumber: "0123456789" } })
    })
  ],
  API_SERVER_ERROR: [at.bankIsDown, at.bankAnswersNonsense],
  INTERNAL_SERVER_ERROR: [at.unexpectedFailure]
}
