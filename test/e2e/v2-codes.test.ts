import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { httpServer } from "../infrastructure/egress/loopback.ts"
import { type Answer, type Client, newSlip } from "../support/client.ts"
import { layerRunningService, RunningService } from "../support/service.ts"
import { assertFailure } from "./assert-answer.ts"

/** The branch of a service with as much quota as the test gives it. */
const given = Effect.fnUntraced(function*(fields: object = {}) {
  const service = yield* RunningService
  const { accountId, id, mainBranch } = yield* service.createService(fields)
  return { ...service, accountId, serviceId: id, branchId: mainBranch.id, key: mainBranch.apiKey }
})

type Given = Effect.Success<ReturnType<typeof given>>

const operate = (path: (given: Given) => string, fields: object = {}) =>
  Effect.gen(function*() {
    const own = yield* given(fields)
    const answer = yield* own.admin("POST", path(own))
    assert.strictEqual(answer.status, 200, answer.text)
    return yield* own.verify(own.key, newSlip().payload)
  })

const verify = (body: unknown, fields: object = {}) =>
  Effect.flatMap(given(fields), (own) => own.verify(own.key, body))

const call = (make: (client: Client) => Effect.Effect<Answer>) => Effect.flatMap(RunningService, make)

const picture = (body: string, status = 200, type = "image/png") =>
  Effect.gen(function*() {
    const { url } = yield* httpServer((_, response) => response.writeHead(status, { "content-type": type }).end(body))
    return yield* verify({ url })
  })

const base64 = (bytes: number): string => "A".repeat(Math.ceil(bytes / 3) * 4)

/** Every code of the specification's table that this version has, as it stands there, and how it comes about. */
const rows = [
  [401, "MISSING_API_KEY", "Authorization header is required", call(({ call }) =>
    call("POST", "/v2/verify/bank", { body: { payload: newSlip().payload } }))],
  [401, "INVALID_API_KEY", "The provided API key is invalid", call(({ verify }) =>
    verify("0f8fad5b-d9cb-4f69-a165-70867728950e", newSlip().payload))],
  [
    403,
    "BRANCH_INACTIVE",
    "This API branch has been deactivated",
    operate((own) => `/branches/${own.branchId}/deactivate`)
  ],
  [403, "SERVICE_BANNED", "Service has been banned", operate((own) => `/services/${own.serviceId}/ban`)],
  [403, "SERVICE_DELETED", "Service has been deleted", operate((own) => `/services/${own.serviceId}/delete`)],
  [403, "IP_NOT_ALLOWED", "Your IP address is not in the allowed list", Effect.gen(function*() {
    const own = yield* given()
    yield* own.admin("PATCH", `/branches/${own.branchId}`, { ipWhitelist: ["203.0.113.7"] })
    return yield* own.verify(own.key, newSlip().payload)
  })],
  [403, "QUOTA_EXCEEDED", "Your API quota has been exceeded", verify(newSlip().payload, { quota: 0 })],
  [403, "USER_BANNED", "User has been banned", operate((own) => `/accounts/${own.accountId}/ban`)],
  [400, "VALIDATION_ERROR", "Validation failed", verify({})],
  [400, "URL_PROTOCOL_NOT_ALLOWED", "Only HTTP/HTTPS allowed", verify({ url: "ftp://example.com/slip.png" })],
  [400, "URL_INVALID_IP_RANGE", "URL points to restricted IP", verify({ url: "http://10.0.0.1/slip.png" })],
  [400, "IMAGE_URL_UNREACHABLE", "Unable to access URL", picture("gone", 404)],
  [400, "IMAGE_SIZE_TOO_LARGE", "Image exceeds 4MB limit", verify({ image: base64(4_194_305) })],
  [400, "INVALID_IMAGE_TYPE", "URL is not a valid image", picture("<html>")],
  [400, "INVALID_IMAGE_FORMAT", "File is not a valid image", verify({ image: "aGVsbG8=" })],
  [400, "INVALID_BANK_CODE", "The provided bankCode is not supported", verify({ payload: "a", bankCode: "999" })],
  [400, "INVALID_EXTRA_VERIFY", "extraVerify is not valid for this bank", verify({
    payload: "a",
    bankCode: "002",
    extraVerify: "MSISDN"
  })],
  [400, "INVALID_EXTRA_VERIFY", "extraVerify is required for this bank", verify({ payload: "a", bankCode: "002" })],
  [400, "INVALID_CALLBACK_URL", "callbackUrl is not a public https URL", Effect.flatMap(given(), ({ call, key }) =>
    call("POST", "/v2/verify/bank/async", {
      key,
      body: { payload: newSlip().payload, callbackUrl: "http://shop.example/told" }
    }))],
  [404, "JOB_NOT_FOUND", "Async job not found", Effect.flatMap(given(), ({ call, key }) =>
    call("GET", "/v2/verify/bank/jobs/0f8fad5b-d9cb-4f69-a165-70867728950e", { key }))],
  [404, "SLIP_NOT_FOUND", "Slip not found or invalid", verify(newSlip({ outcome: "not-found" }).payload)],
  [404, "SLIP_PENDING", "A slip of a specific bank is pending", verify(newSlip({ outcome: "pending" }).payload)],
  [404, "NOT_FOUND", "Resource not found", call(({ call }) => call("GET", "/v2/nothing"))],
  [500, "API_SERVER_ERROR", "External API error", verify(newSlip({ outcome: "down" }).payload)],
  // Beyond the specification's table: the contract's own.
  [403, "SERVICE_INACTIVE", "Service is not active", operate((own) => `/services/${own.serviceId}/deactivate`)],
  [403, "SERVICE_INACTIVE", "Service is not active", verify(newSlip().payload, { expiresAt: "2020-01-01T00:00:00Z" })],
  [403, "SERVICE_INACTIVE", "Service is not active", Effect.gen(function*() {
    const { admin, createService, verify } = yield* RunningService
    const account = yield* admin<{ readonly id: string }>("POST", "/accounts", {})
    const { mainBranch } = yield* createService({ accountId: account.data.id })
    return yield* verify(mainBranch.apiKey, newSlip().payload)
  })]
] as const

const env = { EGRESS_ALLOW_CIDRS: "127.0.0.0/8" }

layer(layerRunningService(env), { excludeTestServices: true })("v2 answers", (it) => {
  for (const [status, code, message, provoke] of rows) {
    it.effect(`${status} ${code}: ${message}`, () =>
      Effect.gen(function*() {
        const answer = yield* provoke
        assertFailure(answer, status, code, message)
        const isLater = code === "SLIP_PENDING" || code === "API_SERVER_ERROR"
        assert.strictEqual(answer.headers.has("retry-after"), isLater)
        if (isLater) assert.match(answer.headers.get("retry-after") ?? "", /^[1-9]\d*$/u)
      }))
  }

  it.effect("give back the caller's request id where it is harmless, also of what is nowhere", () =>
    Effect.gen(function*() {
      const { call, logs } = yield* RunningService
      for (const path of ["/v2/health", "/v2/nothing", "/v2/info"]) {
        const kept = yield* call("GET", path, { headers: { "x-request-id": "Order-7.a:b_c" } })
        assert.strictEqual(kept.headers.get("x-request-id"), "Order-7.a:b_c")
        for (const id of ["", "a b", "<script>", "a".repeat(65), "%0d%0aset-cookie:a=b"]) {
          const { headers } = yield* call("GET", path, { headers: { "x-request-id": id } })
          assert.match(headers.get("x-request-id") ?? "", /^[0-9a-f-]{36}$/u)
          assert.isNull(headers.get("set-cookie"))
        }
      }
      assert.deepStrictEqual(logs.filter((line) => line.includes("foresaw")), [])
    }))

  it.effect("cost nothing when they refuse", () =>
    Effect.gen(function*() {
      const own = yield* given({ quota: 1 })
      for (const outcome of ["not-found", "pending", "down", "nonsense"] as const) {
        yield* own.verify(own.key, newSlip({ outcome }).payload)
      }
      yield* own.verify(own.key, {})
      yield* own.verify(own.key, { image: "aGVsbG8=" })

      assert.strictEqual((yield* own.verify(own.key, newSlip().payload)).status, 200)
      assertFailure(
        yield* own.verify(own.key, newSlip().payload),
        403,
        "QUOTA_EXCEEDED",
        "Your API quota has been exceeded"
      )
    }))
})
