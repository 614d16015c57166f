import { assert, describe, it } from "@effect/vitest"
import {
  ImageUnusable,
  ImageUrlFailed,
  NoSlip,
  ReaderUnavailable,
  WrongSlipKind
} from "../../../../../application/verification/slip-source.ts"
import { JobNotFound } from "../../../../../application/jobs/load-job.ts"
import { EventStoreError, WrongExpectedRevision } from "../../../../../ports/event-store.ts"
import { QuotaError } from "../../../../../ports/quota.ts"
import { ReadModelsError } from "../../../../../ports/read-models.ts"
import {
  ApiError,
  messageOf,
  v1Failures,
  type V2Code,
  v2Failures
} from "../../../../../infrastructure/web/api/failures.ts"
import { toApiError, toV1Error } from "../../../../../infrastructure/web/http/operations/application-failures.ts"

const noSlip = (reason: NoSlip["reason"]) => new NoSlip({ reason })
const noUrl = (reason: ImageUrlFailed["reason"]) => new ImageUrlFailed({ reason, detail: "from a test" })
const noImage = (reason: ImageUnusable["reason"], fromUrl: boolean) => new ImageUnusable({ reason, fromUrl })

const unavailable = [
  new ReaderUnavailable({ reason: "busy" }),
  new ReaderUnavailable({ reason: "deadline" }),
  new QuotaError({ reason: "not-ready" }),
  new ReadModelsError({ operation: "get", reason: "behind" }),
  new EventStoreError({ operation: "append", reason: "timeout" }),
  new WrongExpectedRevision({ stream: "slip-1", expected: 0, actual: 1 })
]

describe("a read model that has not caught up", () => {
  it("is a failure with the status 503 that says to wait", () => {
    const error = new ReadModelsError({ operation: "get", reason: "behind" })
    const { isOverload, message, retryAfterSeconds } = toApiError(error)
    assert.deepStrictEqual([isOverload, retryAfterSeconds, toV1Error(error).isOverload], [true, 5, true])
    assert.match(message ?? "", /reading its records .*Retry-After/u)
  })

  it("is not a store that is away", () => {
    const away = [
      new QuotaError({ reason: "not-ready" }),
      new ReadModelsError({ operation: "get", reason: "unavailable" }),
      new EventStoreError({ operation: "read", reason: "unavailable" })
    ]
    assert.deepStrictEqual(away.map((error) => toApiError(error).isOverload === true), [false, false, false])
  })
})

/** v1 has no status for a conflict or for a service that is not ready. */
const otherStatus: ReadonlyArray<string> = [
  "API_KEY_IN_USE",
  "BANK_ACCOUNT_DUPLICATE",
  "IDEMPOTENCY_KEY_REUSED",
  "IDEMPOTENCY_IN_PROGRESS",
  "NOT_READY"
]

const codes = Object.keys(v2Failures) as ReadonlyArray<V2Code>

describe("v1 errors", () => {
  it.each(unavailable)("for an unavailable store are retryable server errors: $_tag", (error) => {
    const { code, retryAfterSeconds } = toV1Error(error)
    assert.deepStrictEqual([code, retryAfterSeconds], ["api_server_error", 5])
  })

  it.each(["branch-busy", "over-budget"] as const)("for a limit of the branch are rate limits: %s", (reason) => {
    const { code, retryAfterSeconds } = toV1Error(new ReaderUnavailable({ reason, retryAfterSeconds: 7 }))
    assert.deepStrictEqual([code, retryAfterSeconds], ["rate_limit_exceeded", 7])
  })

  it.each(
    [
      [noSlip("no-qr"), "qrcode_not_found"],
      [noSlip("no-slip-qr"), "invalid_payload"],
      [noSlip("too-long"), "invalid_payload"],
      [noSlip("broken-tlv"), "invalid_payload"],
      [noSlip("wrong-crc"), "invalid_payload"],
      [noSlip("not-a-slip"), "invalid_payload"],
      [noUrl("invalid-url"), "invalid_url"],
      [noUrl("not-public"), "invalid_url"],
      [noUrl("unresolvable"), "invalid_url"],
      [noUrl("timeout"), "invalid_url"],
      [noUrl("too-many-redirects"), "invalid_url"],
      [noUrl("too-large"), "image_size_too_large"],
      [noImage("not-an-image", true), "invalid_image"],
      [noImage("corrupt", false), "invalid_image"],
      [noImage("too-many-pixels", false), "invalid_image"],
      [noImage("too-large", false), "image_size_too_large"]
    ] as const
  )("name the reason for a missing slip: $0._tag, $0.reason", (error, code) => {
    const v1Error = toV1Error(error)
    assert.deepStrictEqual([v1Error.code, v1Error.retryAfterSeconds], [code, undefined])
  })

  it("say in v1 that a slip of another kind has a payload of another kind", () => {
    for (const found of ["bank", "truemoney"] as const) {
      assert.strictEqual(toV1Error(new WrongSlipKind({ found })).code, "invalid_payload")
    }
  })

  it("say why a picture of the request cannot be used, at its field, in both versions", () => {
    const failure = new ImageUnusable({
      reason: "not-an-image",
      fromUrl: false,
      field: "data",
      why: "the file is a PDF"
    })
    const issues = [{ path: "data", message: "The file is a PDF" }]
    assert.deepInclude({ ...toApiError(failure) }, { code: "INVALID_IMAGE_FORMAT", issues })
    assert.deepInclude({ ...toV1Error(failure) }, { code: "invalid_image", issues })
    for (const reason of ["not-an-image", "corrupt", "too-many-pixels"] as const) {
      const [issue] = toApiError(noImage(reason, false)).issues ?? []
      assert.match(issue?.message ?? "", /^The /u)
    }
    assert.isUndefined(toApiError(noImage("not-an-image", true)).issues)
    assert.isUndefined(toApiError(noImage("too-large", false)).issues)
  })

  it("give an expired job the message of its code, and say in detail when it expired", () => {
    const expiredAt = Date.parse("2026-11-21T05:00:00.000Z")
    const expired = toApiError(new JobNotFound({ expiredAt }))
    assert.deepStrictEqual([expired.code, messageOf(expired)], ["JOB_NOT_FOUND", "Async job not found"])
    assert.strictEqual(expired.detail, "Its result expired at 2026-11-21T05:00:00.000Z, seven days after the job ended")
    const unknown = toApiError(new JobNotFound({}))
    assert.deepStrictEqual([messageOf(unknown), unknown.detail], ["Async job not found", undefined])
  })

  it.each(codes)("keep the status of the v2 code %s", (code) => {
    const { status } = v2Failures[code]
    const v1Error = toV1Error(new ApiError({ code, retryAfterSeconds: 7 }))
    if (!otherStatus.includes(code)) assert.strictEqual(v1Failures[v1Error.code].status, status)
    else assert.strictEqual(Math.floor(v1Failures[v1Error.code].status / 100), Math.floor(status / 100))
    assert.strictEqual(v1Error.retryAfterSeconds, 7)
  })
})
