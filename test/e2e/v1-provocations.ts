import { Effect } from "effect"
import { newSlip } from "../support/client.ts"
import { RunningService } from "../support/service.ts"
import { given, type Provocation, situations } from "./situations.ts"

const at = situations("/v1/verify")

const get = (path: string): Provocation => Effect.flatMap(given(), ({ call, key }) => call("GET", path, { key }))

const twice = Effect.gen(function* () {
  const { call, key } = yield* given()
  const { payload } = newSlip()
  yield* call("GET", `/api/v1/verify?payload=${payload}`, { key })
  return yield* call("POST", "/v1/verify", { key, body: { payload, checkDuplicate: true } })
})

/** Calls that lead to each row of the table in docs/spec/http.md, "v1 codes". */
export const v1Provocations: Readonly<Record<string, ReadonlyArray<Provocation>>> = {
  unauthorized: [at.noKey, at.unknownKey],
  access_denied: [at.addressNotListed, at.serviceBanned, at.accountBanned],
  account_not_verified: [at.accountUnverified],
  application_expired: [at.serviceExpired],
  application_deactivated: [at.serviceDeactivated, at.serviceDeleted, at.branchInactive],
  quota_exceeded: [at.quotaUsedUp],
  invalid_payload: [at.notASlip, at.imageOfOtherQr, get("/v1/verify?payload=00")],
  invalid_check_duplicate: [
    at.verify({ payload: "a", checkDuplicate: "yes" }),
    get("/v1/verify?payload=a&checkDuplicate=2")
  ],
  invalid_url: [
    at.urlOfAnotherScheme,
    at.urlOfPrivateAddress,
    at.urlUnreachable,
    at.verify({ url: "slip.png" }),
    at.verify({ url: "https://user:secret@example.com/" })
  ],
  invalid_image: [at.notAnImage, at.urlOfPage, at.imageOfTwoSlips],
  image_size_too_large: [at.imageTooLarge],
  invalid_request: [at.noSource, at.noJson, get("/v1/verify")],
  duplicate_slip: [twice],
  slip_not_found: [at.slipNotFound, at.slipOfNoBank],
  slip_pending: [at.slipPending],
  qrcode_not_found: [at.imageWithoutQr],
  not_found: [Effect.flatMap(RunningService, ({ call }) => call("GET", "/v1/nothing")), get("/api/v1")],
  server_error: [at.unexpectedFailure],
  api_server_error: [at.bankIsDown, at.bankAnswersNonsense]
}
