import { assert } from "@effect/vitest"
import type { Answer } from "../support/client.ts"

/** Checks what all answers have in common (docs/spec/http.md, "v2 answers"). */
export const assertEnvelope = ({ error, headers, status, success, text }: Answer): void => {
  assert.strictEqual(headers.get("content-type"), "application/json", text)
  assert.match(headers.get("x-request-id") ?? "", /^[\w.:-]{1,64}$/u)
  assert.strictEqual(success, status < 400, text)
  assert.strictEqual(error === undefined, status < 400, text)
}

/** Checks a failure for exactly this status, code and message. Only VALIDATION_ERROR has issues. */
export const assertFailure = (answer: Answer, status: number, code: string, message: string): void => {
  assertEnvelope(answer)
  assert.deepStrictEqual(
    [answer.status, answer.error?.code, answer.error?.message],
    [status, code, message],
    answer.text
  )
  const { issues, ...error } = answer.error ?? { code: "", message: "" }
  const body = { success: false, error: { code, message, ...(issues === undefined ? {} : { issues }) } }
  assert.strictEqual(answer.text, JSON.stringify(body))
  assert.deepStrictEqual(error, { code, message })
  if (code !== "NOT_READY") assert.strictEqual(issues !== undefined, code === "VALIDATION_ERROR", answer.text)
}

/**
 * Checks a v1 failure for exactly this status and code. Only a duplicate has data (docs/spec/http.md, "v1 error body").
 */
export const assertV1Failure = ({ headers, status: answered, text }: Answer, status: number, code: string): void => {
  assert.strictEqual(headers.get("content-type"), "application/json", text)
  assert.match(headers.get("x-request-id") ?? "", /^[\w.:-]{1,64}$/u)
  assert.strictEqual(answered, status, text)
  const { data, ...body } = JSON.parse(text) as { readonly data?: { readonly transRef: string } }
  assert.deepStrictEqual(body, { status, message: code })
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
