import { assert } from "@effect/vitest"
import type { Answer } from "../support/client.ts"

/** Checks what all answers have in common (docs/spec/http.md, "v2 answers"). */
export const assertEnvelope = ({ error, headers, status, success, text }: Answer): void => {
  assert.strictEqual(headers.get("content-type"), "application/json", text)
  assert.match(headers.get("x-request-id") ?? "", /^[\w.:-]{1,64}$/u)
  assert.strictEqual(success, status < 400, text)
  assert.strictEqual(error === undefined, status < 400, text)
}

/** The codes whose errors say what is wrong with fields. */
const WITH_ISSUES = ["VALIDATION_ERROR", "INVALID_IMAGE_FORMAT"]

/** Checks a failure for exactly this status, code, message and detail. */
export const assertFailure = (
  answer: Answer,
  status: number,
  code: string,
  message: string,
  detail?: string
): void => {
  assertEnvelope(answer)
  assert.deepStrictEqual(
    [answer.status, answer.error?.code, answer.error?.message],
    [status, code, message],
    answer.text
  )
  const { issues, ...error } = answer.error ?? { code: "", message: "" }
  assert.strictEqual(answer.text, JSON.stringify({ success: false, error: { code, message, detail, issues } }))
  assert.deepStrictEqual(error, { code, message, ...(detail === undefined ? {} : { detail }) })
  if (code !== "NOT_READY") assert.strictEqual(issues !== undefined, WITH_ISSUES.includes(code), answer.text)
}

/** Checks the issue of an unusable picture: its field, and what it says. */
export const assertPictureFault = (answer: Answer, path: string, why: RegExp): void => {
  assertFailure(answer, 400, "INVALID_IMAGE_FORMAT", "File is not a valid image")
  const [issue, ...others] = answer.error?.issues ?? []
  assert.deepStrictEqual([issue?.path, others], [path, []], answer.text)
  assert.match(issue?.message ?? "", why)
}

/**
 * Checks a v1 failure for exactly this status and code. Only a duplicate has data, and only an unusable picture in the
 * request has issues (docs/spec/http.md, "v1 error body").
 */
export const assertV1Failure = ({ headers, status: answered, text }: Answer, status: number, code: string): void => {
  assert.strictEqual(headers.get("content-type"), "application/json", text)
  assert.match(headers.get("x-request-id") ?? "", /^[\w.:-]{1,64}$/u)
  assert.strictEqual(answered, status, text)
  const { data, issues, ...body } = JSON.parse(text) as {
    readonly data?: { readonly transRef: string }
    readonly issues?: ReadonlyArray<unknown>
  }
  assert.deepStrictEqual(body, { status, message: code })
  if (code !== "invalid_image") assert.isUndefined(issues, text)
  if (code === "duplicate_slip") assert.containsAllKeys(data, ["payload", "transRef", "amount"])
  else assert.isUndefined(data, text)
}

/** Checks a validation failure for exactly these field paths. */
export const assertInvalid = (answer: Answer, ...paths: ReadonlyArray<string>): void => {
  assertFailure(answer, 400, "VALIDATION_ERROR", "Validation failed")
  const issues = answer.error?.issues ?? []
  assert.deepStrictEqual(issues.map(({ path }) => path), paths, answer.text)
  for (const { message } of issues) assert.notStrictEqual(message, "")
}
