import { assert, describe, it } from "@effect/vitest"
import { Cause, Data, Exit } from "effect"
import { externalSpan } from "../../../../infrastructure/platform/telemetry/span.ts"
import { attributesOf, endedSpan, startedSpan, TRACE } from "./given-spans.ts"

class Refused extends Data.TaggedError("Refused")<{ readonly message: string }> {}

/** The sent span after an end with this exit. */
const endedWith = (exit: Exit.Exit<unknown, unknown>) => {
  const { sent, span } = startedSpan()
  span.end(2n, exit)
  return sent[0] ?? assert.fail("the span was not sent")
}

const secret = "4111 1111 1111 1111"

describe("a span", () => {
  it("is sent once, when it ends, in the format of OTLP", () => {
    const { sent, span } = startedSpan("append slip")
    span.attribute("db.operation.name", "append")
    span.attribute("http.response.status_code", 200)
    assert.isEmpty(sent)
    span.end(5n, Exit.void)
    span.end(6n, Exit.void)
    assert.deepStrictEqual(sent, [{
      traceId: TRACE,
      spanId: span.spanId,
      parentSpanId: "",
      name: "append slip",
      kind: 1,
      startTimeUnixNano: "1",
      endTimeUnixNano: "5",
      attributes: [
        { key: "db.operation.name", value: { stringValue: "append" } },
        { key: "http.response.status_code", value: { intValue: 200 } }
      ],
      droppedAttributesCount: 0,
      events: [],
      droppedEventsCount: 0,
      links: [],
      droppedLinksCount: 0,
      status: { code: 0 }
    }])
    assert.match(span.spanId, /^[0-9a-f]{16}$/u)
  })

  it("has only allowed attributes", () => {
    const { sent, span } = startedSpan()
    for (const name of ["url.full", "url.query", "client.address", "user_agent.original", "unknown.attribute"]) {
      span.attribute(name, secret)
    }
    span.attribute("server.address", "shop.example")
    span.event()
    span.end(2n, Exit.void)
    const [sentSpan] = sent
    assert.deepStrictEqual(sentSpan && attributesOf(sentSpan), { "server.address": "shop.example" })
    assert.notInclude(JSON.stringify(sent), secret)
  })

  it("has the tag of its error and not the message", () => {
    const refused = endedWith(Exit.fail(new Refused({ message: secret })))
    assert.deepStrictEqual([refused.status.code, attributesOf(refused)], [2, { "error.type": "Refused" }])
    const died = endedWith(Exit.die(new Error(secret)))
    assert.deepStrictEqual([died.status.code, attributesOf(died)], [2, { "error.type": "defect" }])
    for (const span of [refused, died]) assert.notInclude(JSON.stringify(span), secret)
  })

  it("is not an error after an interruption", () => {
    const interrupted = endedWith(Exit.failCause(Cause.interrupt(1)))
    assert.deepStrictEqual([interrupted.status.code, attributesOf(interrupted)], [0, { "sliptrail.interrupted": true }])
  })

  it("keeps its links without their attributes", () => {
    const { sent, span } = startedSpan()
    span.addLinks([{ span: externalSpan("a".repeat(32), "b".repeat(16)), attributes: { note: secret } }])
    span.end(2n, Exit.void)
    const [link] = sent[0]?.links ?? []
    assert.deepInclude(link, { traceId: "a".repeat(32), spanId: "b".repeat(16), attributes: [] })
  })

  it("has a unique id", () => {
    assert.notStrictEqual(endedSpan().spanId, endedSpan().spanId)
  })
})
