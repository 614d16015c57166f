import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import {
  appendSpanId,
  isSampled,
  parseTraceparent,
  requestIdIn,
  traceIdOf
} from "../../../../infrastructure/platform/telemetry/trace-ids.ts"

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
const SPAN = "00f067aa0ba902b7"

describe("traceparent", () => {
  it.each([
    [`00-${TRACE}-${SPAN}-01`],
    [`00-${TRACE}-${SPAN}-00`],
    [`01-${TRACE}-${SPAN}-01`],
    [`cc-${TRACE}-${SPAN}-03-what-a-later-version-adds`]
  ])("names the caller's span: %s", (header) => {
    assert.deepStrictEqual(parseTraceparent(header), { traceId: TRACE, spanId: SPAN })
  })

  it.each([
    [undefined],
    [""],
    ["hello"],
    [`00-${TRACE}-${SPAN}`],
    [`00-${TRACE}-${SPAN}-1`],
    [`00-${TRACE.toUpperCase()}-${SPAN}-01`],
    [`00-${TRACE.slice(1)}-${SPAN}-01`],
    [`00-${TRACE}-${SPAN}-01-more`],
    [`ff-${TRACE}-${SPAN}-01`],
    [`00-${"0".repeat(32)}-${SPAN}-01`],
    [`00-${TRACE}-${"0".repeat(16)}-01`],
    [` 00-${TRACE}-${SPAN}-01`],
    [`00-${TRACE}-${SPAN}-01\n`]
  ])("is invalid: %s", (header) => {
    assert.isUndefined(parseTraceparent(header))
  })
})

describe("the trace of a request", () => {
  it("is the trace of its caller; each request has its own id", () => {
    const caller = { traceId: TRACE, spanId: SPAN }
    const [one, another] = [requestIdIn(caller), requestIdIn(caller)]
    assert.match(one, /^[\w.:-]{1,64}$/u)
    assert.notStrictEqual(one, another)
    assert.deepStrictEqual([traceIdOf(one), traceIdOf(another)], [TRACE, TRACE])
  })

  it("is derived from an id of the caller", () => {
    // printf %s order-7 | sha256sum | cut -c1-32
    assert.strictEqual(traceIdOf("order-7"), "df8cf80227ec3237922df0ecd88385c5")
  })

  it.prop("is a valid OpenTelemetry id for every request id", [Schema.String], ([id]) => {
    assert.match(traceIdOf(id), /^(?!0{32})[0-9a-f]{32}$/u)
  })

  it("is never the id of zeros", () => {
    assert.notMatch(traceIdOf(`${"0".repeat(32)}-${SPAN}`), /^0+$/u)
  })
})

describe("the span of an append", () => {
  it("is derived from stream and command", () => {
    const ids = [appendSpanId("job-1", "c"), appendSpanId("job-2", "c"), appendSpanId("job-1", "d")]
    for (const id of ids) assert.match(id, /^[0-9a-f]{16}$/u)
    assert.strictEqual(new Set(ids).size, 3)
    assert.strictEqual(appendSpanId("job-1", "c"), ids[0])
  })
})

describe("a share of traces", () => {
  const traces = Array.from({ length: 10_000 }, (_, n) => traceIdOf(`request-${n}`))

  it.each([[0, 0], [0.1, 1_000], [0.5, 5_000], [1, 10_000]])("%s is about %s of ten thousand", (share, about) => {
    const sampled = traces.filter((id) => isSampled(id, share)).length
    assert.closeTo(sampled, about, share === 0 || share === 1 ? 0 : 200)
  })

  it("contains every smaller share", () => {
    for (const id of traces) if (isSampled(id, 0.1)) assert.isTrue(isSampled(id, 0.2))
  })
})
