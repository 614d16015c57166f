import { assert, describe, it } from "../../support/it.ts"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import { Webhook } from "standardwebhooks"
import { callbacks } from "../../../domain/events/aggregates.ts"
import { EgressError, type EgressReason } from "../../../ports/egress.ts"
import { isServiceSignature, isStandardSignature } from "../../../sdk/webhook/signature.ts"
import {
  body,
  callbackEnds,
  firstSecret,
  givenWorkers,
  receiver,
  secondSecret,
  type Sent,
  textOf
} from "../processes/given-worker.ts"

const header = ({ headers }: Sent, name: string): string => headers?.[name] ?? ""

const isSignedBy = (sent: Sent, ...secrets: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    const message = { id: header(sent, "webhook-id"), timestamp: header(sent, "webhook-timestamp"), body: textOf(sent) }
    return {
      service: await Promise.all(
        secrets.map((secret) => isServiceSignature(header(sent, "x-service-signature"), message.body, [secret]))
      ),
      standard: await Promise.all(
        secrets.map((secret) => isStandardSignature(header(sent, "webhook-signature"), message, [secret]))
      )
    }
  })

const unreachable = (reason: EgressReason) => new EgressError({ reason, detail: `shop.example: ${reason}` })

describe("a callback", () => {
  it.effect("is sent with a signature when its job ends, and is delivered by a 2xx", function* () {
    const fixture = yield* givenWorkers
    yield* fixture.start()

    yield* fixture.end("j-1", body)
    yield* callbackEnds(fixture, "CallbackDelivered")

    const [sent, ...more] = fixture.sent
    assert.isDefined(sent)
    assert.isEmpty(more)
    const { at, body: _, headers, ...request } = sent
    assert.deepStrictEqual(request, {
      branchId: "branch-1",
      method: "POST",
      url: receiver,
      schemes: ["https"],
      maxRedirects: 0,
      maxBytes: 65_536,
      overflow: "truncate",
      timeoutMillis: 10_000
    })
    assert.strictEqual(textOf(sent), body)
    assert.deepStrictEqual(Object.keys(headers ?? {}).sort(), [
      "content-type",
      "user-agent",
      "webhook-id",
      "webhook-signature",
      "webhook-timestamp",
      "x-easyslip-signature",
      "x-service-signature"
    ])
    assert.strictEqual(header(sent, "content-type"), "application/json")
    assert.strictEqual(header(sent, "user-agent"), "SlipTrail/0.0.0")
    assert.strictEqual(header(sent, "webhook-id"), "j-1")
    assert.strictEqual(header(sent, "webhook-timestamp"), String(Math.floor(at / 1_000)))
    assert.deepStrictEqual(yield* isSignedBy(sent, firstSecret), { service: [true], standard: [true] })
    assert.strictEqual(header(sent, "x-easyslip-signature"), header(sent, "x-service-signature"))
    assert.deepStrictEqual(yield* fixture.eventTypes("callback-j-1", "attempt", "status", "host"), [
      ["CallbackScheduled", undefined, undefined, "shop.example"],
      ["CallbackSent", 1, undefined, "shop.example"],
      ["CallbackDelivered", 1, 200, "shop.example"]
    ])
  })

  it.effect("is accepted by the published library of Standard Webhooks", function* () {
    yield* TestClock.setTime(Date.now())
    const fixture = yield* givenWorkers
    yield* fixture.start()

    yield* fixture.end("j-1", body)
    yield* callbackEnds(fixture, "CallbackDelivered")

    const [sent] = fixture.sent
    assert.isDefined(sent)
    const message = { ...sent.headers }
    assert.deepStrictEqual(new Webhook(firstSecret).verify(textOf(sent), message), JSON.parse(body))
    assert.throws(() => new Webhook(secondSecret).verify(textOf(sent), message))
  })

  it.effect.each([400, 404, 410, 429])("is rejected by %d, and not sent again", function* (status) {
    const fixture = yield* givenWorkers
    fixture.stubs.answer = () => Effect.succeed(status)
    yield* fixture.start()

    yield* fixture.end("j-1", body)
    yield* callbackEnds(fixture, "CallbackRejected")
    yield* TestClock.adjust("10 minutes")

    assert.strictEqual(fixture.sent.length, 1)
  })

  it.effect.each(
    [
      ["500", Effect.succeed(500), { status: 500, reason: "the receiver answered 500" }],
      ["302", Effect.succeed(302), { status: 302, reason: "the receiver answered 302: redirects are not followed" }],
      ["101", Effect.succeed(101), { status: 101, reason: "the receiver answered 101" }],
      ...(["timeout", "not-public", "unresolvable", "unreachable"] as const).map((reason) =>
        [reason, Effect.fail(unreachable(reason)), {
          status: null,
          reason: `${reason}: shop.example: ${reason}`
        }] as const
      )
    ] as const
  )("is tried again after %s, and delivered when the receiver succeeds again", function* ([, answer, expected]) {
    const fixture = yield* givenWorkers
    fixture.stubs.answer = () => answer
    yield* fixture.start()

    yield* fixture.end("j-1", body)
    yield* callbackEnds(fixture, "CallbackAttemptFailed")
    fixture.stubs.answer = () => Effect.succeed(204)
    yield* callbackEnds(fixture, "CallbackDelivered")

    assert.deepStrictEqual(yield* fixture.eventTypes("callback-j-1", "attempt", "status", "reason"), [
      ["CallbackScheduled", undefined, undefined, undefined],
      ["CallbackSent", 1, undefined, undefined],
      ["CallbackAttemptFailed", 1, expected.status, expected.reason],
      ["CallbackSent", 2, undefined, undefined],
      ["CallbackDelivered", 2, 204, undefined]
    ])
  })

  it.effect("is attempted at the times in the log with the same bytes, and is abandoned after the last attempt", function* () {
    const fixture = yield* givenWorkers
    fixture.stubs.answer = () => Effect.succeed(503)
    yield* fixture.start()

    yield* fixture.end("j-1", body)
    yield* callbackEnds(fixture, "CallbackAbandoned")

    const failed = (yield* fixture.store.readStream("callback-j-1")).map(callbacks.codec.decode)
      .filter((event) => event._tag === "CallbackAttemptFailed")
    assert.strictEqual(fixture.sent.length, 3)
    assert.isNull(failed[2]?.nextAttemptAt)
    for (const [index, delay] of [5_000, 30_000].entries()) {
      const failedAt = Date.parse(failed[index]?.at ?? "")
      const dueAt = Date.parse(failed[index]?.nextAttemptAt ?? "")
      assert.isAtLeast(dueAt - failedAt, 0.8 * delay)
      assert.isAtMost(dueAt - failedAt, 1.2 * delay)
      const sentAt = fixture.sent[index + 1]?.at ?? 0
      assert.isAtLeast(sentAt, dueAt)
      // On a busy machine the test's clock moves on while the worker still works.
      assert.isBelow(sentAt, dueAt + delay)
    }
    assert.deepStrictEqual(fixture.sent.map(textOf), [body, body, body])
    yield* TestClock.adjust("10 minutes")
    assert.strictEqual(fixture.sent.length, 3)
  })

  it.effect.each([
    ["120", 120_000],
    ["3600", 3_600_000],
    ["99999999999", 3_600_000],
    ["9".repeat(400), 3_600_000],
    ["Fri, 31 Dec 9999 23:59:59 GMT", 3_600_000]
  ])("is not sent again before the Retry-After of a 503, at most an hour: %s", function* ([retryAfter, millis]) {
    const fixture = yield* givenWorkers
    fixture.stubs.answer = () => Effect.succeed(503)
    fixture.stubs.headers = { "retry-after": String(retryAfter) }
    yield* fixture.start()

    yield* fixture.end("j-1", body)
    yield* callbackEnds(fixture, "CallbackAttemptFailed")

    const failedAt = yield* fixture.momentOf("callback-j-1", "CallbackAttemptFailed", "at")
    const dueAt = yield* fixture.momentOf("callback-j-1", "CallbackAttemptFailed", "nextAttemptAt")
    assert.strictEqual(dueAt - failedAt, millis)
  })

  it.effect.each([undefined, "0", "1", "-5", "soon", "Thu, 01 Jan 1970 00:00:00 GMT"])(
    "is sent again by its schedule when Retry-After asks for less or for nothing: %s",
    function* (retryAfter) {
      const fixture = yield* givenWorkers
      fixture.stubs.answer = () => Effect.succeed(503)
      if (retryAfter !== undefined) fixture.stubs.headers = { "retry-after": retryAfter }
      yield* fixture.start()

      yield* fixture.end("j-1", body)
      yield* callbackEnds(fixture, "CallbackAttemptFailed")

      const failedAt = yield* fixture.momentOf("callback-j-1", "CallbackAttemptFailed", "at")
      const dueAt = yield* fixture.momentOf("callback-j-1", "CallbackAttemptFailed", "nextAttemptAt")
      assert.isAtLeast(dueAt - failedAt, 4_000)
      assert.isAtMost(dueAt - failedAt, 6_000)
    }
  )

  it.effect("is abandoned after its last attempt whatever Retry-After says, and rejected by a 429", function* () {
    const fixture = yield* givenWorkers
    fixture.stubs.answer = ({ url }) => Effect.succeed(url === receiver ? 503 : 429)
    fixture.stubs.headers = { "retry-after": "20" }
    yield* fixture.start()

    yield* fixture.end("j-1", body)
    yield* fixture.end("j-2", body, "https://other.example/hook")
    yield* callbackEnds(fixture, "CallbackAbandoned", "j-1")
    yield* callbackEnds(fixture, "CallbackRejected", "j-2")

    assert.strictEqual(fixture.sent.filter(({ url }) => url === receiver).length, 3)
  })

  it.effect("has one signature of the newest secret, and a list of signatures of both secrets while they overlap", function* () {
    const fixture = yield* givenWorkers
    fixture.stubs.answer = () => Effect.succeed(503)
    yield* fixture.start()
    yield* fixture.end("j-1", body)
    yield* callbackEnds(fixture, "CallbackAttemptFailed")

    yield* fixture.rotate(secondSecret, 20)
    yield* callbackEnds(fixture, "CallbackAbandoned")

    const signed = yield* Effect.forEach(fixture.sent, (sent) => isSignedBy(sent, firstSecret, secondSecret))
    assert.deepStrictEqual(signed, [
      { service: [true, false], standard: [true, false] },
      { service: [false, true], standard: [true, true] },
      // After 30 seconds the first secret has expired.
      { service: [false, true], standard: [false, true] }
    ])
    const lists = fixture.sent.map((sent) => header(sent, "webhook-signature").split(" ").length)
    assert.deepStrictEqual(lists, [1, 2, 1])
  })

  it.effect("is signed by the new secret alone at once after a rotation without overlap, also by another process", function* () {
    const fixture = yield* givenWorkers
    yield* fixture.start()
    yield* fixture.end("j-1", body)
    yield* callbackEnds(fixture, "CallbackDelivered", "j-1")

    // The attempt has begun, and its request is not signed yet.
    fixture.logFaults.after = (appended, stream) =>
      stream === "callback-j-2" && fixture.sent.length === 1
        ? Effect.as(Effect.orDie(fixture.rotate(secondSecret, 0)), appended)
        : Effect.succeed(appended)
    yield* fixture.end("j-2", body)
    yield* callbackEnds(fixture, "CallbackDelivered", "j-2")

    const signed = yield* Effect.forEach(fixture.sent, (sent) => isSignedBy(sent, firstSecret, secondSecret))
    assert.deepStrictEqual(signed, [
      { service: [true, false], standard: [true, false] },
      { service: [false, true], standard: [false, true] }
    ])
  })

  it.effect("has each attempt in the log, and no part of its body", function* () {
    const lines: Array<string> = []
    const toLines = Logger.make((entry) => void lines.push(Logger.formatJson.log(entry)))
    const fixture = yield* givenWorkers
    fixture.stubs.answer = () => Effect.succeed(503)

    yield* Effect.gen(function* () {
      yield* fixture.start({ isLogging: true })
      yield* fixture.end("j-1", body)
      yield* callbackEnds(fixture, "CallbackAbandoned")
    }).pipe(Effect.provide(Logger.layer([toLines])))

    const logged = lines.filter((line) => line.includes("Callback"))
    assert.strictEqual(logged.length, 3)
    const annotations = { job: "j-1", host: "shop.example", attempt: 1, outcome: "failed", status: 503 }
    assert.deepInclude(JSON.parse(logged[0] ?? "").annotations, annotations)
    assert.deepInclude(JSON.parse(logged[2] ?? "").annotations, { ...annotations, attempt: 3, outcome: "abandoned" })
    for (const secret of ["s3cret", "whsec_", firstSecret.slice(6), "โต๊ะ", "/hook"]) {
      assert.notInclude(lines.join(""), secret)
    }
  })
})
